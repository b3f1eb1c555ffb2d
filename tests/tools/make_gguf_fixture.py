#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/policy/fixtures/gguf: files of the package `gguf` (PyPI) and what it and `tokenizers` make of them.

Usage: make_gguf_fixture.py tests/policy/fixtures [NAME..] (needs gguf, numpy, tokenizers, safetensors; all files, or the
models and tokenizers that are named)
types.gguf holds a tensor of each type and the numbers that it stands for; models/*.gguf the models of causal/*.safetensors
as llama.cpp has them; tokenizers/NAME.gguf the rules of a model with a vocabulary of our own, NAME.json texts with their
tokens.
"""
import json
import sys
from pathlib import Path

import gguf
import numpy
import published_tokenizers as published
from gguf import GGMLQuantizationType as Type
from gguf.quants import dequantize, quantize
from safetensors import safe_open

fixtures = Path(sys.argv[1])
out = fixtures / "gguf"
for folder in (out / "models", out / "tokenizers"):
    folder.mkdir(parents=True, exist_ok=True)
rng = numpy.random.default_rng(3)


def finish(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def types():
    writer = gguf.GGUFWriter(out / "types.gguf", "llama")
    for kind in (Type.F32, Type.F16, Type.BF16, Type.Q8_0, Type.Q4_0, Type.Q4_1, Type.Q5_0, Type.Q4_K, Type.Q6_K):
        numbers = rng.normal(size=(1, 512)).astype(numpy.float32)
        if kind in (Type.Q4_K, Type.Q6_K):  # nothing quantises to these in Python: any bits, with scales of a size
            size = gguf.GGML_QUANT_SIZES[kind][1]
            blocks = rng.integers(0, 256, (2, size), dtype=numpy.uint8)
            scale = numpy.array([0.01, -0.02], dtype=numpy.float16).view(numpy.uint8).reshape(2, 2)
            if kind == Type.Q4_K:
                blocks[:, 0:2], blocks[:, 2:4] = scale, scale[::-1]
            else:
                blocks[:, 208:210] = scale
            stored = blocks.reshape(1, -1)
        elif kind in (Type.F32, Type.F16):
            stored = numbers.astype(numpy.float32 if kind == Type.F32 else numpy.float16)
        else:
            stored = quantize(numbers, kind)
        if kind in (Type.F32, Type.F16):
            writer.add_tensor(kind.name, stored)
            expected = stored.astype(numpy.float32)
        else:
            writer.add_tensor(kind.name, stored, raw_dtype=kind)
            expected = dequantize(stored, kind).astype(numpy.float32)
        writer.add_tensor(kind.name + ".expected", expected)
    finish(writer)


LAYER = {"input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
         "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm",
         "post_self_attn_layernorm": "post_attention_norm", "post_mlp_layernorm": "post_ffw_norm", "mlp.gate_up_proj": "ffn_up",
         "post_attention_layernorm": "ffn_norm", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}


def model(name):
    with safe_open(fixtures / "causal" / f"{name}.safetensors", "np") as file:
        config = json.loads(file.metadata()["config"])
        tensors = {key: file.get_tensor(key) for key in file.keys() if not key.startswith(("fixture.", "matrix."))}
    kind = config["model_type"]
    heads, shared = config["num_attention_heads"], config["num_key_value_heads"]
    size = config.get("head_dim") or config["hidden_size"] // heads
    writer = gguf.GGUFWriter(out / "models" / f"{name}.gguf", kind)
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(shared)
    writer.add_key_length(size)
    writer.add_value_length(size)
    rope = config.get("rope_parameters") or config  # transformers 5 has all of it in one object
    writer.add_rope_dimension_count(int(size * rope.get("partial_rotary_factor", 1)))
    writer.add_rope_freq_base(rope["rope_theta"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    scaling = config.get("rope_parameters") or config.get("rope_scaling") or {}
    scaled = scaling.get("rope_type", scaling.get("type"))
    if scaled in ("linear", "yarn"):
        writer.add_rope_scaling_type(gguf.RopeScalingType(scaled))
        writer.add_rope_scaling_factor(scaling["factor"])
    if scaled == "yarn":
        writer.add_rope_scaling_orig_ctx_len(scaling["original_max_position_embeddings"])
    if scaled == "llama3":  # as convert_hf_to_gguf.py of llama.cpp has it, with the positions of the published models
        waves = 2 * numpy.pi * config["rope_theta"] ** (numpy.arange(0, size, 2) / size)
        low, high, old = scaling["low_freq_factor"], scaling["high_freq_factor"], 8192
        smooth = (old / waves - low) / (high - low)
        factors = numpy.where(waves < old / high, 1, numpy.where(waves > old / low, scaling["factor"],
                                                                 1 / ((1 - smooth) / scaling["factor"] + smooth)))
        writer.add_tensor("rope_freqs.weight", factors.astype(numpy.float32))
    for key, tensor in tensors.items():
        stem, what = key.rsplit(".", 1)
        if stem.startswith("model.layers."):
            layer, part = stem.removeprefix("model.layers.").split(".", 1)
            named = f"blk.{layer}.{LAYER[part]}.{what}"
            if kind == "llama" and part in ("self_attn.q_proj", "self_attn.k_proj"):  # pairs of rows stand side by side
                count = heads if part.endswith("q_proj") else shared
                tensor = tensor.reshape(count, 2, size // 2, *tensor.shape[1:]).swapaxes(1, 2).reshape(tensor.shape)
        else:
            named = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}[stem] + "." + what
        writer.add_tensor(named, numpy.ascontiguousarray(tensor))
    finish(writer)


def default_rules(name):
    """What llama.cpp does by this name, in steps of `tokenizers`."""
    from tokenizers import Regex, pre_tokenizers
    split = published.split
    if name == "deepseek-llm":
        import re
        source = (Path(__file__).parents[2] / "core/policy/tokenizer/named_rules.cpp").read_text(encoding="utf-8")
        letters = "".join(re.findall(r'"((?:\\\\s\?)?[^"\n]*)"', source.split("deepseekLetters =")[1].split(";")[0]))
        return pre_tokenizers.Sequence([split("[\r\n]"), split(letters.replace("\\\\", "\\")), split(r"\s?[!-/:-~！-／：-～‘-‟　-。]+"),
                                        split(r"\s+$"), split("[一-龥ࠀ-一가-퟿]+"),
                                        pre_tokenizers.Digits(individual_digits=True), published.byte_level()])
    return pre_tokenizers.Sequence([
        split(r"[\p{P}\$\+<=>\^~\|]+"), split(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)"),
        split(r"\p{N}+"), split(r"[0-9][0-9][0-9]"), published.byte_level()])


def tokenizer(rule, named):
    """A file with the name of the rules, and tokens by `tokenizers` with the rules themselves."""
    made = published.make(rule or "gpt2", published.training_texts(), 300)
    if rule is None:
        made.pre_tokenizer = default_rules(named)
    plain = json.loads(made.to_str())
    vocabulary = sorted(plain["model"]["vocab"], key=plain["model"]["vocab"].get)
    added = ["<|start|>", "<|end|>", "<tool>", "[PAD0]", "[PAD1]"]
    kinds = [gguf.TokenType.CONTROL, gguf.TokenType.CONTROL, gguf.TokenType.USER_DEFINED, gguf.TokenType.UNUSED, gguf.TokenType.UNUSED]
    first = len(vocabulary)
    plain["added_tokens"] = [{"id": first + i, "content": text, "single_word": False, "lstrip": False, "rstrip": False,
                              "normalized": False, "special": i < 2} for i, text in enumerate(added[:3])]
    made = type(made).from_str(json.dumps(plain))
    writer = gguf.GGUFWriter(out / "tokenizers" / f"{named}.gguf", "llama")
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(named)
    writer.add_token_list(vocabulary + added)
    writer.add_token_types([gguf.TokenType.NORMAL] * first + kinds)
    writer.add_token_merges([" ".join(merge) if isinstance(merge, list) else merge for merge in plain["model"]["merges"]])
    writer.add_bos_token_id(first)
    writer.add_eos_token_id(first + 1)
    finish(writer)
    texts = [text for text in published.SAMPLES + published.random_texts(12, 5) if len(text) < 130] + ["<|start|>a<tool> b<|end|>"]
    rows = []
    for text in texts:
        made.encode_special_tokens = True
        row = {"text": text, "ids": made.encode(text, add_special_tokens=False).ids}
        made.encode_special_tokens = False
        if (with_names := made.encode(text, add_special_tokens=False).ids) != row["ids"]:
            row["named"] = with_names
        rows.append(row)
    (out / "tokenizers" / f"{named}.json").write_text(json.dumps(rows, separators=(",", ":")))


asked = set(sys.argv[2:])
if not asked:
    types()
for file in sorted((fixtures / "causal").glob("*.safetensors")):
    if not asked or file.stem in asked:
        model(file.stem)
for rule, named in (("smollm", "smollm"), ("llama3", "llama-bpe"), ("qwen2", "qwen2"), ("gpt2", "gpt-2"), (None, "default"),
                    (None, "deepseek-llm"), ("deepseek-coder", "deepseek-coder"), ("deepseek-v3", "deepseek-v3"), ("glm4", "glm4")):
    if not asked or named in asked:
        tokenizer(rule, named)
