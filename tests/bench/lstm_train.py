# SPDX-License-Identifier: MIT
# lstm_train.py DATA THREADS STEPS: seconds an update of the paper's LSTM takes
# in PyTorch, the median of STEPS after one to warm up.  THREADS 0 is PyTorch's
# own choice.
import sys
import time

import torch
from torch import nn

path, threads, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
if threads > 0:
    torch.set_num_threads(threads)
strings = [line.strip() for line in open(path)]
length = len(strings[0])
codes = torch.tensor([[int(c) for c in s] for s in strings]).t()
target = torch.cat([codes, torch.full((1, len(strings)), 2)])
inputs = torch.zeros(length + 1, len(strings), 3)
inputs[1:] = nn.functional.one_hot(codes, 3).float()


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.2)
        self.rnn = nn.LSTM(3, 200, 2, dropout=0.2)
        self.decoder = nn.Linear(200, 3)

    def forward(self, x):
        return self.decoder(self.drop(self.rnn(self.drop(x))[0]))


model = Model()
optimiser = torch.optim.Adam(model.parameters(), lr=0.001)


def update():
    optimiser.zero_grad()
    logits = model(inputs)
    loss = nn.functional.cross_entropy(logits.view(-1, 3), target.view(-1))
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.25)
    optimiser.step()
    return loss.item()


update()
seconds = []
for _ in range(steps):
    start = time.perf_counter()
    update()
    seconds.append(time.perf_counter() - start)
print(sorted(seconds)[steps // 2])
