# SPDX-License-Identifier: MIT
"""lstm_train.py: trains the paper's LSTM with PyTorch, with the paper's settings.

    lstm_train.py DATA THREADS STEPS                 prints the seconds per update on all
                                                     strings: median of STEPS, after a warm-up
    lstm_train.py DATA THREADS TEST GOAL SECONDS     trains until the CE on TEST reaches GOAL or
                                                     the CPU time is over; prints a line per
                                                     epoch: epoch, CPU seconds, CE

THREADS 0 means PyTorch's default.  All strings have the same length.  Evaluation is not counted.
"""
import sys
import time

import torch
from torch import nn

BATCH = 500
EPOCHS = 130


def load(path):
    """[length + 1][strings] of one-hot inputs and of symbols to come, the end being 2"""
    with open(path) as lines:
        codes = torch.tensor([[int(c) for c in line.strip()] for line in lines]).t()
    target = torch.cat([codes, torch.full((1, codes.shape[1]), 2)])
    inputs = torch.zeros(*target.shape, 3)
    inputs[1:] = nn.functional.one_hot(codes, 3).float()
    return inputs, target


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.2)
        self.rnn = nn.LSTM(3, 200, 2, dropout=0.2)
        self.decoder = nn.Linear(200, 3)
        nn.init.uniform_(self.decoder.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)

    def loss(self, inputs, target):
        logits = self.decoder(self.drop(self.rnn(self.drop(inputs))[0]))
        return nn.functional.cross_entropy(logits.view(-1, 3), target.reshape(-1))


def update(inputs, target):
    optimizer.zero_grad()
    model.loss(inputs, target).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.25)
    optimizer.step()


def epoch():
    order = torch.randperm(target.shape[1])
    for batch in order.split(BATCH):
        update(inputs[:, batch], target[:, batch])


def timed(function, *arguments):
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def evaluate(inputs, target):
    model.eval()
    with torch.no_grad():
        ce = sum(
            model.loss(i, t).item() * t.shape[1]
            for i, t in zip(inputs.split(BATCH, dim=1), target.split(BATCH, dim=1))
        )
    model.train()
    return ce / target.shape[1]


def until(test, goal, limit):
    seconds = 0.0
    for number in range(1, EPOCHS + 1):
        start = time.process_time()
        epoch()
        seconds += time.process_time() - start
        ce = evaluate(*test)
        print(number, f"{seconds:.2f}", f"{ce:.5f}", sep="\t", flush=True)
        if ce <= goal or seconds >= limit:
            return


if int(sys.argv[2]) > 0:
    torch.set_num_threads(int(sys.argv[2]))
torch.manual_seed(1)
inputs, target = load(sys.argv[1])
model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
if len(sys.argv) == 4:
    update(inputs, target)
    costs = sorted(timed(update, inputs, target) for _ in range(int(sys.argv[3])))
    print(costs[len(costs) // 2])
else:
    until(load(sys.argv[3]), float(sys.argv[4]), float(sys.argv[5]))
