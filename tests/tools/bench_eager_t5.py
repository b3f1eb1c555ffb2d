#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A T5 in plain eager PyTorch, written by hand: the peer of tests/benchmarks/bench_device on the same GPU.

Usage: bench_eager_t5.py [cuda|cpu] [fp32|bf16] [speed|training|writing]. Training: each matrix encoded once, explicit attention with T5's bias, autocast
for bf16, fused AdamW. Writing: weights cast once, a KV cache that is allocated once, each matrix encoded once, one
multinomial a step.
Where transformers is there, its T5 trains and its generate() writes beside them.
"""
import copy
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

device = sys.argv[1] if __name__ == "__main__" and len(sys.argv) > 1 else "cuda"
only = sys.argv[2] if __name__ == "__main__" and len(sys.argv) > 2 else ""
what = sys.argv[3] if __name__ == "__main__" and len(sys.argv) > 3 else "speed"  # or "training", "writing": as bench_device
rounds = (4, 2) if device == "cpu" else (12, 4)  # of training, of writing: as bench_device
SHAPES = {"quickstart": (128, 32, 384, 3, 3, 4), "15M": (384, 64, 1024, 4, 4, 6)}
VOCABULARY, MATRICES, POSITIONS = 1000, 8, 100


def bucket(relative, bidirectional, buckets=32, furthest=128):
    result = torch.zeros_like(relative)
    if bidirectional:
        buckets //= 2
        result = (relative > 0).long() * buckets
        relative = relative.abs()
    else:
        relative = -torch.clamp(relative, max=0)
    exact = buckets // 2
    far = exact + (torch.log(relative.float().clamp(min=1) / exact) / torch.log(torch.tensor(furthest / exact))
                   * (buckets - exact)).long()
    return result + torch.where(relative < exact, relative, far.clamp(max=buckets - 1))


class Norm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, x):
        x = x.float()
        normed = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * normed.to(self.weight.dtype)


class Attention(nn.Module):
    def __init__(self, d, width, heads):
        super().__init__()
        self.heads, self.width = heads, width
        self.q, self.k, self.v = (nn.Linear(d, heads * width, bias=False) for _ in range(3))
        self.o = nn.Linear(heads * width, d, bias=False)

    def split(self, x):
        return x.view(x.shape[0], -1, self.heads, self.width).transpose(1, 2)

    def attend(self, q, k, v, bias):
        scores = q @ k.transpose(-1, -2)
        if bias is not None:
            scores = scores + bias
        out = torch.softmax(scores.float(), -1).to(v.dtype) @ v
        return self.o(out.transpose(1, 2).flatten(2))

    def forward(self, x, memory, bias):
        return self.attend(self.split(self.q(x)), self.split(self.k(memory)), self.split(self.v(memory)), bias)


class Block(nn.Module):
    def __init__(self, shape, cross):
        super().__init__()
        d, width, ff, _, _, heads = shape
        self.norm1, self.self_attention = Norm(d), Attention(d, width, heads)
        if cross:
            self.norm2, self.cross = Norm(d), Attention(d, width, heads)
        self.norm3, self.wi, self.wo = Norm(d), nn.Linear(d, ff, bias=False), nn.Linear(ff, d, bias=False)

    def forward(self, x, bias, memory=None):
        h = self.norm1(x)
        x = x + self.self_attention(h, h, bias)
        if memory is not None:
            x = x + self.cross(self.norm2(x), memory, None)
        return x + self.wo(F.relu(self.wi(self.norm3(x))))


class Eager(nn.Module):
    def __init__(self, shape):
        super().__init__()
        d, _, _, encoder, decoder, heads = shape
        self.d = d
        self.embedding = nn.Embedding(VOCABULARY, d)
        self.encoder = nn.ModuleList(Block(shape, False) for _ in range(encoder))
        self.decoder = nn.ModuleList(Block(shape, True) for _ in range(decoder))
        self.encoder_bias, self.decoder_bias = nn.Embedding(32, heads), nn.Embedding(32, heads)
        self.encoder_norm, self.decoder_norm = Norm(d), Norm(d)

    def bias(self, table, n, bidirectional):
        at = torch.arange(n, device=table.weight.device)
        bias = table(bucket(at[None, :] - at[:, None], bidirectional)).permute(2, 0, 1)[None]
        if not bidirectional:
            bias = bias.masked_fill((at[None, :] > at[:, None]), float("-inf"))
        return bias

    def encode(self, embedded):
        x, bias = embedded, self.bias(self.encoder_bias, embedded.shape[1], True)
        for block in self.encoder:
            x = block(x, bias)
        return self.encoder_norm(x)

    def head(self, x):
        return F.linear(self.decoder_norm(x) * self.d ** -0.5, self.embedding.weight)

    def forward(self, embedded, input_of, targets):
        memory = self.encode(embedded)[input_of]
        ids = F.pad(targets.clamp(min=0), (1, 0))[:, :-1]
        x, bias = self.embedding(ids), self.bias(self.decoder_bias, ids.shape[1], False)
        for block in self.decoder:
            x = block(x, bias, memory)
        return F.cross_entropy(self.head(x).float().flatten(0, 1), targets.flatten(), ignore_index=-100)

    @torch.no_grad()
    def write(self, embedded, input_of, tokens):
        memory = self.encode(embedded)[input_of]
        rows, layers = len(input_of), len(self.decoder)
        cross = [(b.cross.split(b.cross.k(memory)).contiguous(), b.cross.split(b.cross.v(memory)).contiguous())
                 for b in self.decoder]
        a = self.decoder[0].self_attention
        type_ = cross[0][0].dtype
        cache = torch.zeros(layers, 2, rows, a.heads, tokens, a.width, device=device, dtype=type_)
        bias = self.bias(self.decoder_bias, tokens, False)
        token = torch.zeros(rows, 1, dtype=torch.long, device=device)
        written, log_probs = [], []
        for t in range(tokens):
            x = self.embedding(token)
            for i, block in enumerate(self.decoder):
                a, h = block.self_attention, block.norm1(x)
                cache[i, 0, :, :, t] = a.split(a.k(h))[:, :, 0]
                cache[i, 1, :, :, t] = a.split(a.v(h))[:, :, 0]
                x = x + a.attend(a.split(a.q(h)), cache[i, 0, :, :, :t + 1], cache[i, 1, :, :, :t + 1],
                                 bias[:, :, t:t + 1, :t + 1])
                c = block.cross
                x = x + c.attend(c.split(c.q(block.norm2(x))), *cross[i], None)
                x = x + block.wo(F.relu(block.wi(block.norm3(x))))
            log = torch.log_softmax(self.head(x)[:, 0].float(), -1)
            token = torch.multinomial(log.exp(), 1)
            written.append(token)
            log_probs.append(log.gather(1, token))
        return torch.cat(written, 1).cpu(), torch.cat(log_probs, 1).cpu()


def finish():
    if device != "cpu":
        torch.cuda.synchronize()


def best_of(rounds, work):
    best = 1e9
    for _ in range(rounds):
        finish()
        start = time.perf_counter()
        work()
        finish()
        best = min(best, time.perf_counter() - start)
    return best


def training(name, model, loss_of, autocast):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    for count, uneven in ((32, False), (128, False), (32, True), (128, True)):
        embedded = torch.randn(MATRICES, POSITIONS, model.d, device=device)
        input_of = torch.arange(count, device=device) % MATRICES
        targets = torch.randint(3, VOCABULARY, (count, 180), device=device)
        if uneven:  # as in bench_device; what is padded is masked in the loss, as scripts do
            lengths = 40 + 37 * torch.arange(count, device=device) % 141
            targets[torch.arange(180, device=device) >= lengths[:, None]] = -100
        tokens = int((targets >= 0).sum())

        def step():
            optimizer.zero_grad()
            with torch.autocast(device, torch.bfloat16, enabled=autocast):
                loss = loss_of(embedded, input_of, targets)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            loss.item()
        best = best_of(rounds[0], step)
        print(f"  {name}: training step, {count:3} x {'40 to 180' if uneven else '180'} tokens: {1e3 * best:8.2f} ms, "
              f"{tokens / best:9.0f} tokens/s")


def hugging_face(shape, autocast):
    try:
        from transformers import T5Config, T5ForConditionalGeneration
    except ImportError:
        return
    d, width, ff, encoder, decoder, heads = shape
    config = T5Config(vocab_size=VOCABULARY, d_model=d, d_kv=width, d_ff=ff, num_layers=encoder,
                      num_decoder_layers=decoder, num_heads=heads, dropout_rate=0.0, decoder_start_token_id=0,
                      pad_token_id=0, eos_token_id=2)
    model = T5ForConditionalGeneration(config).to(device)
    model.d = d
    if what != "writing":
        training("Hugging Face", model, lambda e, i, t: model(inputs_embeds=e[i], labels=t).loss, autocast)
    model.eval()
    for count in (64, 512) if what != "training" else ():
        source = torch.randn(MATRICES, POSITIONS, d, device=device).repeat(count // MATRICES, 1, 1)

        def write():
            with torch.autocast(device, torch.bfloat16, enabled=autocast):
                model.generate(inputs_embeds=source, do_sample=True, top_k=0, min_new_tokens=200, max_new_tokens=200)
        best = best_of(2, write)
        print(f"  Hugging Face: generate, {count:3} x 200 tokens: {1e3 * best:8.2f} ms, {count * 200 / best:9.0f} tokens/s")


def main():
    for autocast in (False, True):
        if only and only != ("bf16" if autocast else "fp32"):
            continue
        for shape_name, shape in SHAPES.items():
            model = Eager(shape).to(device)
            print(f"eager PyTorch: {shape_name}, {sum(p.numel() for p in model.parameters())} parameters, "
                  f"{'bf16' if autocast else 'fp32'}")
            if what != "writing":
                training("by hand", model, model, autocast)
            for count in (64, 512) if what != "training" else ():
                writer = copy.deepcopy(model).bfloat16() if autocast else model  # autocast would cast at every step
                embedded = torch.randn(MATRICES, POSITIONS, model.d, device=device, dtype=writer.embedding.weight.dtype)
                input_of = torch.arange(count, device=device) % MATRICES
                best = best_of(rounds[1], lambda: writer.write(embedded, input_of, 200))
                print(f"  by hand: writing {count:3} x 200 tokens: {1e3 * best:8.2f} ms, {count * 200 / best:9.0f} tokens/s")
            try:
                hugging_face(shape, autocast)
            except Exception as error:  # a peer that is not there must not end the table
                print("  Hugging Face:", error)


if __name__ == "__main__":
    main()
