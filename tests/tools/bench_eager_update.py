#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One whole PPO update as a plain PyTorch script has it: the peer of tests/benchmarks/bench_update.

Usage: bench_eager_update.py [cuda|cpu] [THREADS]. The model is that of bench_eager_t5.py (each matrix encoded once, explicit
attention); responses are padded to the longest of their minibatch. Log-probabilities of policy and reference, values,
rewards with KL, GAE over all rows at once, whitening; then two epochs of minibatches of 32 with the clipped
losses, entropy bonus, clipping of gradients and fused AdamW for policy and critic.
"""
import copy
import sys

import torch
from torch import nn
from torch.nn import functional as F

import bench_eager_t5 as t5

RESPONSES, LONGEST, EPOCHS, MINIBATCH = 64, 200, 2, 32


class Critic(t5.Eager):
    def __init__(self, shape):
        super().__init__(shape)
        self.value_head = nn.Linear(shape[0], 1)

    def head(self, x):
        return self.value_head(self.decoder_norm(x))


def hidden(model, embedded, input_of, targets):
    memory = model.encode(embedded)[input_of]
    ids = F.pad(targets, (1, 0))[:, :-1]
    x, bias = model.embedding(ids), model.bias(model.decoder_bias, ids.shape[1], False)
    for block in model.decoder:
        x = block(x, bias, memory)
    return model.head(x).float()


class Update:
    def __init__(self, shape, uneven, autocast, device):
        self.autocast, self.device = autocast, device
        self.policy = t5.Eager(shape).to(device)
        self.reference = copy.deepcopy(self.policy).requires_grad_(False)
        self.critic = Critic(shape).to(device)
        self.optimizers = [torch.optim.AdamW(m.parameters(), lr=1e-4, fused=True) for m in (self.policy, self.critic)]
        self.embedded = torch.randn(t5.MATRICES, t5.POSITIONS, shape[0], device=device)
        self.input_of = torch.arange(RESPONSES, device=device) % t5.MATRICES
        self.targets = torch.randint(3, t5.VOCABULARY, (RESPONSES, LONGEST), device=device)
        lengths = torch.full((RESPONSES,), LONGEST)
        if uneven:
            lengths = torch.randint(LONGEST // 2, LONGEST, (RESPONSES,))
        self.tokens = int(lengths.sum())
        self.lengths = lengths.tolist()
        self.mask = (torch.arange(LONGEST)[None, :] < lengths[:, None]).float().to(device)
        self.scores = torch.rand(RESPONSES, device=device) * 2.5 - 1

    def forward(self, model, rows):
        longest = max(self.lengths[i] for i in rows)
        index = torch.tensor(rows, device=self.device)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.autocast):
            return hidden(model, self.embedded, self.input_of[index], self.targets[index, :longest]), index, longest

    def log_probs(self, model, rows):
        logits, index, longest = self.forward(model, rows)
        log = torch.log_softmax(logits, -1)
        return (log.gather(2, self.targets[index, :longest].unsqueeze(2)).squeeze(2), -(log.exp() * log).sum(-1), index, longest)

    @torch.no_grad()
    def over_all(self, of_rows):
        result = torch.zeros(RESPONSES, LONGEST, device=self.device)
        for begin in range(0, RESPONSES, MINIBATCH):
            rows = list(range(begin, begin + MINIBATCH))
            value, longest = of_rows(rows)
            result[begin:begin + MINIBATCH, :longest] = value
        return result * self.mask

    def values(self, rows):
        value, _, longest = self.forward(self.critic, rows)
        return value.squeeze(2), longest

    def run(self):
        mask = self.mask
        old = self.over_all(lambda rows: self.log_probs(self.policy, rows)[::3])
        ref = self.over_all(lambda rows: self.log_probs(self.reference, rows)[::3])
        values = self.over_all(self.values)
        with torch.no_grad():
            rewards = -0.05 * (old - ref)
            last = mask.sum(1).long() - 1
            rewards[torch.arange(RESPONSES), last] += self.scores
            advantages, following, after = torch.zeros_like(values), torch.zeros_like(self.scores), torch.zeros_like(self.scores)
            for t in reversed(range(LONGEST)):
                delta = rewards[:, t] + following - values[:, t]
                after = (delta + 0.95 * after) * mask[:, t]
                advantages[:, t] = after
                following = values[:, t] * mask[:, t]
            returns = advantages + values
            kept = advantages[mask > 0]
            advantages = (advantages - kept.mean()) / (kept.std() + 1e-8) * mask
        for _ in range(EPOCHS):
            order = torch.randperm(RESPONSES).tolist()
            for begin in range(0, RESPONSES, MINIBATCH):
                rows = order[begin:begin + MINIBATCH]
                logp, entropy, index, n = self.log_probs(self.policy, rows)
                m, a = mask[index, :n], advantages[index, :n]
                ratio = torch.exp(logp - old[index, :n])
                loss = torch.maximum(-a * ratio, -a * ratio.clamp(0.8, 1.28))
                loss = torch.where(a < 0, torch.minimum(loss, -3 * a), loss)
                self.step(0, ((loss - 0.01 * entropy) * m).sum() / m.sum())
                value, _ = self.values(rows)
                before, goal = values[index, :n], returns[index, :n]
                clipped = torch.clamp(value, before - 0.2, before + 0.2)
                loss = 0.5 * torch.maximum((value - goal) ** 2, (clipped - goal) ** 2)
                self.step(1, (loss * m).sum() / m.sum())

    def step(self, which, loss):
        model, optimizer = (self.policy, self.critic)[which], self.optimizers[which]
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        loss.item()  # as every script does, for its log


def main():
    device = sys.argv[1] if len(sys.argv) > 1 else "cuda"
    t5.device = device
    torch.set_num_threads(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    for autocast in (False, True):
        for name, shape in t5.SHAPES.items():
            if device == "cpu" and (autocast or name != "quickstart"):
                continue
            for uneven in (True, False):
                update = Update(shape, uneven, autocast, device)
                best = t5.best_of(12 if device == "cuda" else 5, update.run)
                print(f"{name:10} eager PyTorch, {device}, {'bf16' if autocast else 'fp32'}, {RESPONSES} responses of "
                      f"{'100 to 199' if uneven else '200'} tokens: {1e3 * best:8.1f} ms an update, {update.tokens / best:.0f} tokens/s")


if __name__ == "__main__":
    main()
