# SPDX-License-Identifier: MIT
"""lstm.py: what PyTorch needs for the work of lm-eval and gam-sample.

    lstm.py MODEL THREADS score DATA     log-probabilities of equally long strings
    lstm.py MODEL THREADS sample N L     N strings of L symbols, step by step

MODEL is a safetensors file as model-convert writes it.  Prints the seconds of
the second of two runs, without loading anything.
"""
import json
import sys
import time

import numpy
import torch


def load(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = numpy.frombuffer(file.read(), "<f4")
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = (offset // 4 for offset in entry["data_offsets"])
        tensors[name] = torch.tensor(data[begin:end]).reshape(entry["shape"])
    return tensors


class Model(torch.nn.Module):
    def __init__(self, tensors):
        super().__init__()
        self.symbols, hidden = tensors["decoder.weight"].shape
        layers = sum("weight_ih" in name for name in tensors)
        self.rnn = torch.nn.LSTM(self.symbols, hidden, layers)
        self.decoder = torch.nn.Linear(hidden, self.symbols)
        self.load_state_dict(tensors)

    def one_hot(self, codes):
        return torch.nn.functional.one_hot(codes, self.symbols).float()

    def score(self, codes, batch=500):
        """codes: [length + 1][strings], the end included."""
        total = 0.0
        for part in codes.split(batch, dim=1):
            given = torch.zeros(*part.shape, self.symbols)
            given[1:] = self.one_hot(part[:-1])
            logp = torch.log_softmax(self.decoder(self.rnn(given)[0]), dim=2)
            total += logp.gather(2, part.unsqueeze(2)).double().sum().item()
        return total

    def sample(self, count, length):
        given, state, codes = torch.zeros(1, count, self.symbols), None, []
        for _ in range(length + 1):
            hidden, state = self.rnn(given, state)
            p = torch.softmax(self.decoder(hidden[0]), dim=1)
            codes.append(torch.multinomial(p, 1)[:, 0])
            given = self.one_hot(codes[-1]).unsqueeze(0)
        return torch.stack(codes)


model = Model(load(sys.argv[1])).eval()
torch.set_num_threads(int(sys.argv[2]))
if sys.argv[3] == "score":
    with open(sys.argv[4]) as lines:
        strings = [[int(c) for c in line.strip()] + [2] for line in lines]
    codes = torch.tensor(strings).T.contiguous()
with torch.no_grad():
    for _ in range(2):
        start = time.monotonic()
        if sys.argv[3] == "score":
            model.score(codes)
        else:
            model.sample(int(sys.argv[4]), int(sys.argv[5]))
        seconds = time.monotonic() - start
print(seconds)
