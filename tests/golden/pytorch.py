# SPDX-License-Identifier: MIT
"""pytorch.py: a small LSTM made by PyTorch, and what PyTorch says of it.

Writes torch.safetensors (random weights, 2 layers of 5 over ACGT) and
torch.tsv (log-probabilities of strings, end included, computed by PyTorch),
which model-convert and lm-eval are held against; with an argument, checks a
file the other way round: prints log-probabilities of the strings on standard
input under the weights of that safetensors file.
"""
import json
import struct
import sys

import torch


class Model(torch.nn.Module):
    """One-hot input over alphabet + end; the input before the first symbol is zero."""

    def __init__(self, symbols, hidden, layers):
        super().__init__()
        self.rnn = torch.nn.LSTM(symbols, hidden, layers)
        self.decoder = torch.nn.Linear(hidden, symbols)

    def log_prob(self, codes):
        symbols = self.decoder.out_features
        one_hot = torch.zeros(len(codes) + 1, 1, symbols)
        for t, code in enumerate(codes):
            one_hot[t + 1, 0, code] = 1
        hidden, _ = self.rnn(one_hot)
        logp = torch.log_softmax(self.decoder(hidden[:, 0]).double(), dim=1)
        return sum(logp[t, c].item() for t, c in enumerate(codes + [symbols - 1]))


def write(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        values = tensor.detach().contiguous().flatten().tolist()
        raw = struct.pack("<%df" % len(values), *values)
        header[name] = {"dtype": "F32", "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        values = struct.unpack("<%df" % ((end - begin) // 4), data[begin:end])
        tensors[name] = torch.tensor(values).reshape(entry["shape"])
    return tensors, metadata


def make():
    torch.manual_seed(1)
    alphabet = "ACGT"
    model = Model(len(alphabet) + 1, 5, 2)
    for parameter in model.parameters():
        torch.nn.init.uniform_(parameter, -1, 1)
    write("torch.safetensors", model.state_dict())
    with open("torch.tsv", "w") as file:
        for string in ["", "A", "T", "ACGT", "GATTACA", "CCCCCCCCCC", "TGCATGCATGCATGCATGCATGCAT"]:
            value = model.log_prob([alphabet.index(c) for c in string])
            file.write("%.9g\t%s\n" % (value, string))


def check(path):
    tensors, metadata = read(path)
    symbols, hidden = tensors["decoder.weight"].shape
    model = Model(symbols, hidden, sum("weight_ih" in name for name in tensors))
    model.load_state_dict(tensors)
    for line in sys.stdin:
        string = line.rstrip("\n")
        value = model.log_prob([metadata["alphabet"].index(c) for c in string])
        print("%.9g\t%s" % (value, string))


if len(sys.argv) > 1:
    check(sys.argv[1])
else:
    make()
