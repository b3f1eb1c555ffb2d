#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's T5 at the quickstart's size: the peer of tests/benchmarks/bench_policy.

Usage: bench_hf_t5.py [threads]; with 1 thread processor time is printed, as by bench_policy.
"""
import sys
import time

import torch
from transformers import T5Config, T5ForConditionalGeneration

threads = int(sys.argv[1]) if len(sys.argv) > 1 else 2
torch.set_num_threads(threads)
now = time.process_time if threads == 1 else time.perf_counter
config = T5Config(vocab_size=1000, d_model=128, d_kv=32, d_ff=384, num_layers=3, num_heads=4, dropout_rate=0.0,
                  decoder_start_token_id=0, pad_token_id=0, eos_token_id=2)
model = T5ForConditionalGeneration(config)
# 8 matrices of 96 entries and 4 feature tokens; in a padded batch each of the 32 sequences has its own encoder row.
embeds = torch.randn(8, 100, 128).repeat(4, 1, 1)
targets = torch.randint(260, 960, (32, 180))
adam = torch.optim.Adam(model.parameters(), lr=1e-3)
best = 1e9
for step in range(5):
    start = now()
    adam.zero_grad()
    model(inputs_embeds=embeds, labels=targets).loss.backward()
    adam.step()
    best = min(best, now() - start)
print(f"training step, 32 x 180 tokens: {best:.3f} s, {32 * 180 / best:.0f} tokens/s")
model.eval()
for count in (64, 16):
    source = torch.randn(8, 100, 128).repeat(count // 8, 1, 1)
    best = 1e9
    for round_ in range(2):
        start = now()
        out = model.generate(inputs_embeds=source, do_sample=True, top_k=0, min_new_tokens=200, max_new_tokens=200)
        best = min(best, now() - start)
    print(f"sampling {count} sequences, {count * 200} tokens: {best:.2f} s, {count * 200 / best:.0f} tokens/s")
