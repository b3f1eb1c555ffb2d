#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The peer of tests/benchmarks/bench_causal: transformers and PEFT on a causal model. Also makes such models.

    bench_hf_causal.py make 0.5B|7B|tiny FOLDER      a Qwen2 model of this shape, with random weights in bf16
    bench_hf_causal.py time FOLDER [--batch 64] [--tokens 512] [--prompt 128] [--train 2048] [--rank 32] [--device cuda]

`time` writes with a static cache, which transformers compiles; the first call, which compiles, does not count. The
adapters of PEFT are on all linear layers. Needs torch, transformers and, for --train, peft.
"""
import argparse
import json
import pathlib
import time

import torch
import transformers

SHAPES = {  # Qwen2.5's
    "0.5B": dict(hidden_size=896, intermediate_size=4864, num_hidden_layers=24, num_attention_heads=14,
                 num_key_value_heads=2, vocab_size=151936, tie_word_embeddings=True),
    "7B": dict(hidden_size=3584, intermediate_size=18944, num_hidden_layers=28, num_attention_heads=28,
               num_key_value_heads=4, vocab_size=152064, tie_word_embeddings=False),
    "tiny": dict(hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
                 num_key_value_heads=2, vocab_size=2000, tie_word_embeddings=True),
}


def write_tokenizer(folder, size):
    """A byte-level BPE with `size` tokens: bytes, pairs of bytes, then triples."""
    printable = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
    others = [b for b in range(256) if b not in printable]
    letters = [chr(b) for b in printable] + [chr(256 + i) for i in range(len(others))]
    tokens, merges = list(letters), []
    pairs = [(a, b) for a in letters for b in letters]
    triples = ((a + b, c) for a, b in pairs for c in letters)
    for left, right in pairs:
        if len(tokens) < size - 1:
            tokens.append(left + right)
            merges.append([left, right])
    for left, right in triples:
        if len(tokens) >= size - 1:
            break
        tokens.append(left + right)
        merges.append([left, right])
    end = {"id": size - 1, "content": "<|endoftext|>", "special": True, "single_word": False, "lstrip": False,
           "rstrip": False, "normalized": False}
    (folder / "tokenizer.json").write_text(json.dumps({
        "version": "1.0", "added_tokens": [end], "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        "post_processor": None, "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "vocab": {t: i for i, t in enumerate(tokens)}, "merges": merges}}))
    (folder / "tokenizer_config.json").write_text(json.dumps({"eos_token": "<|endoftext|>"}))


def make(shape, folder):
    values = SHAPES[shape]
    end = values["vocab_size"] - 1
    config = transformers.Qwen2Config(**values, max_position_embeddings=32768, rope_theta=1e6, eos_token_id=end,
                                      bos_token_id=end, pad_token_id=end)
    torch.set_default_dtype(torch.bfloat16)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    with torch.device(device):
        model = transformers.Qwen2ForCausalLM(config)
    model.save_pretrained(folder)
    write_tokenizer(folder, values["vocab_size"])


def finish(device):
    if device != "cpu":
        torch.cuda.synchronize()


def peak(device):
    """The highest use of the GPU's memory since the last call, in GB."""
    if device == "cpu":
        return 0.0
    value = torch.cuda.max_memory_allocated() / 1e9
    torch.cuda.reset_peak_memory_stats()
    return value


def write(model, options):
    prompt = torch.randint(3, model.config.vocab_size - 3, (options.batch, options.prompt), device=options.device)
    best = 1e9
    for _ in range(4):  # the first compiles
        start = time.perf_counter()
        out = model.generate(input_ids=prompt, attention_mask=torch.ones_like(prompt), do_sample=True, top_k=0, top_p=1.0,
                             temperature=1.0, min_new_tokens=options.tokens, max_new_tokens=options.tokens,
                             cache_implementation="static")
        finish(options.device)
        if _ == 0:
            print(f"the first call took {time.perf_counter() - start:.1f} s", flush=True)
        else:
            best = min(best, time.perf_counter() - start)
    count = options.batch * (out.shape[1] - options.prompt)
    print(f"writing {options.batch} x {options.tokens} tokens after {options.prompt}: {best:.3f} s, {count / best:.0f} tokens/s, "
          f"peak {peak(options.device):.1f} GB", flush=True)


def train(model, options):
    import peft

    adapters = peft.LoraConfig(r=options.rank, lora_alpha=2 * options.rank, target_modules="all-linear", task_type="CAUSAL_LM")
    learner = peft.get_peft_model(model, adapters)
    learner.train()
    weights = [p for p in learner.parameters() if p.requires_grad]
    adam = torch.optim.AdamW(weights, lr=1e-4, fused=options.device != "cpu")
    ids = torch.randint(3, model.config.vocab_size - 3, (1, options.train + 1), device=options.device)
    peak(options.device)
    best = 1e9
    for _ in range(6):
        start = time.perf_counter()
        adam.zero_grad()
        learner(input_ids=ids, labels=ids).loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        adam.step()
        finish(options.device)
        best = min(best, time.perf_counter() - start)
    print(f"training adapters of rank {options.rank}, {options.train} tokens: {best:.3f} s a step, {options.train / best:.0f} tokens/s, "
          f"peak {peak(options.device):.1f} GB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("make", "time"))
    parser.add_argument("arguments", nargs="+")
    parser.add_argument("--device", default="cuda")
    for name, value in (("batch", 64), ("tokens", 512), ("prompt", 128), ("train", 0), ("rank", 32)):
        parser.add_argument("--" + name, type=int, default=value)
    options = parser.parse_args()
    if options.command == "make":
        shape, folder = options.arguments
        pathlib.Path(folder).mkdir(parents=True)
        make(shape, pathlib.Path(folder))
        return
    start = time.perf_counter()
    model = transformers.AutoModelForCausalLM.from_pretrained(options.arguments[0], dtype=torch.bfloat16).to(options.device)
    finish(options.device)
    print(f"loaded in {time.perf_counter() - start:.2f} s; transformers {transformers.__version__}, torch {torch.__version__}", flush=True)
    peak(options.device)
    if options.batch > 0:
        write(model, options)
    if options.train > 0:
        train(model, options)


main()
