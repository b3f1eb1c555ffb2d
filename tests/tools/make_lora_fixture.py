#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/policy/fixtures/lora: adapters of PEFT on the models of tests/policy/fixtures/causal, and what they compute.

Usage: make_lora_fixture.py tests/policy/fixtures [NAME..] (all, or those that are named; needs torch, transformers, peft, safetensors)
       make_lora_fixture.py tests/policy/fixtures --compare DIR MODEL NAME
NAME/ is what save_pretrained() wrote; NAME.safetensors holds the base model's config.json and NAME as metadata, and
`logits`, `grad.*` of adapters (by the program's tokens' log-probabilities) and `merged.*` (merge_and_unload).
--compare loads another writer's directory with PEFT and says how far its logits are from those of NAME.
"""
import json
import sys
from pathlib import Path

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors import safe_open
from safetensors.torch import save_file
from transformers import AutoConfig, AutoModelForCausalLM

fixtures = Path(sys.argv[1])
out = fixtures / "lora"
ENTRIES, PROMPTS, TARGETS = [5, 1, 3], [2, 0, 4], [7, 1, 12]


def base_of(name):
    """The model, without its matrix embedding, and the file's other tensors."""
    with safe_open(fixtures / "causal" / f"{name}.safetensors", "pt") as file:
        config = json.loads(file.metadata()["config"])
        tensors = {key: file.get_tensor(key) for key in file.keys()}
    config = AutoConfig.for_model(**config)
    config._attn_implementation = "eager"
    model = AutoModelForCausalLM.from_config(config).eval()
    weights = {key: value for key, value in tensors.items() if not key.startswith(("fixture.", "matrix."))}
    missing, unexpected = model.load_state_dict(weights, strict=False)
    assert not unexpected and all(key == "lm_head.weight" for key in missing), (missing, unexpected)
    model.tie_weights()
    return model, tensors


def logits_of(model, tensors):
    words = model.get_input_embeddings()
    soft = tensors["fixture.entries"] @ tensors["matrix.entry.weight"].T + tensors["matrix.entry.bias"]
    rows = zip(soft.split(ENTRIES), tensors["fixture.prompts"].split(PROMPTS), tensors["fixture.targets"].split(TARGETS))
    result = []
    for (a, b, c), entries, prompts in zip(rows, ENTRIES, PROMPTS):
        embeds = torch.cat([a, words(b), words(c[:-1])])
        result.append(model(inputs_embeds=embeds.unsqueeze(0)).logits[0][entries + prompts - 1:])
    return torch.cat(result)


def build(name, base, seed, **settings):
    if sys.argv[2:] and name not in sys.argv[2:]:
        return
    torch.manual_seed(seed)
    model, tensors = base_of(base)
    with torch.no_grad():
        before = logits_of(model, tensors)
    assert torch.allclose(before, tensors["fixture.logits"], atol=1e-5), name
    adapted = get_peft_model(model, LoraConfig(task_type="CAUSAL_LM", lora_dropout=0.0, **settings)).eval()
    with torch.no_grad():  # B of zeros would hide mistakes
        for key, value in adapted.named_parameters():
            if "lora_" in key:
                value.copy_(0.3 * torch.randn_like(value))
    logits = logits_of(adapted, tensors)
    torch.log_softmax(logits, -1).gather(1, tensors["fixture.targets"].unsqueeze(1)).sum().backward()
    saved = {"logits": logits.detach()}
    for key, value in adapted.named_parameters():
        if value.requires_grad:
            own = key.removeprefix("base_model.model.").replace(".default", "")
            saved["grad." + own] = value.grad.clone()
    adapted.save_pretrained(out / name)
    (out / name / "README.md").unlink(missing_ok=True)
    merged = adapted.merge_and_unload()
    with torch.no_grad():
        assert torch.allclose(logits_of(merged, tensors), saved["logits"], atol=1e-4), name
    touched = {key.split(".lora_")[0].removeprefix("grad.") for key in saved if ".lora_" in key}
    saved |= {"merged." + key: value for key, value in merged.state_dict().items()
              if key.removesuffix(".weight") in touched}
    save_file({key: value.detach().clone().contiguous() for key, value in saved.items()}, out / f"{name}.safetensors",
              metadata={"base": base})


if "--compare" in sys.argv:
    directory, base, name = sys.argv[3:]
    model, tensors = base_of(base)
    with torch.no_grad():
        logits = logits_of(PeftModel.from_pretrained(model, directory).eval(), tensors)
    with safe_open(out / f"{name}.safetensors", "pt") as file:
        print(f"{(logits - file.get_tensor('logits')).abs().max().item():.2g}")
else:
    out.mkdir(parents=True, exist_ok=True)
    build("usual", "llama", 1, r=2, lora_alpha=6, target_modules=["q_proj", "v_proj"])
    build("all_stabilised", "qwen2_tied", 2, r=3, lora_alpha=4, use_rslora=True, target_modules="all-linear")
    build("pattern", "qwen3", 3, r=1, lora_alpha=2, target_modules=r".*layers\.1\..*(k_proj|down_proj)|.*o_proj")
    build("glm4", "glm4", 4, r=2, lora_alpha=3, target_modules=["q_proj", "gate_up_proj", "down_proj"])
