#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/policy/fixtures/chat.json: forty conversations and what Jinja2 makes of them by published templates.

Usage: make_chat_fixture.py TEMPLATES MODEL.gguf tests/policy/fixtures/chat.json (needs jinja2, gguf)
TEMPLATES is a folder with qwen2_5.jinja, qwen3.jinja, qwen3_instruct_2507.jinja, llama3.jinja and deepseekv3.jinja as their
authors published them (trl/chat_templates of huggingface/trl has them); MODEL.gguf is SmolLM2's (packaging/setup --models).
"""
import hashlib
import json
import random
import sys
from pathlib import Path

import gguf
from jinja2.sandbox import ImmutableSandboxedEnvironment

CHATML = ("{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
          "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")
WORDS = ["Hi", "sum += a[i];", "\n", "\n\n", " ", "  x ", "é你好", "<think>", "</think>", "<|im_end|>", "why?", "{% raw %}", "</s>", "1 2 3", "\t", "'", "\"",
         "<tool_response>"]


def conversations():
    rng = random.Random(4)
    lists = [[("user", "Hello")], [("system", "Be brief."), ("user", "Hello")], [("user", "")],
             [("user", "a"), ("assistant", "<think>\nwell\n</think>\n\nb"), ("user", "c")],
             [("user", "a"), ("assistant", "<think>\nwell\n</think>\n\nb")],
             [("user", "a"), ("assistant", "b"), ("assistant", "<think>t</think>c"), ("assistant", "d")],
             [("user", "a"), ("user", "<tool_response>\nx\n</tool_response>"), ("assistant", "b")],
             [("user", "a"), ("system", "late"), ("user", "b"), ("system", "later")],
             [("assistant", "first"), ("user", "  trimmed \n")], [("system", "only")]]
    while len(lists) < 40:
        turns = [("system", "S" + rng.choice(WORDS))] if rng.random() < 0.4 else []
        for i in range(rng.randint(1, 4)):
            turns.append((("user", "assistant")[i % 2], "".join(rng.choice(WORDS) for _ in range(rng.randint(0, 6)))))
        lists.append(turns)
    return [[{"role": role, "content": content} for role, content in turns] for turns in lists]


folder, model, target = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
smollm2 = gguf.GGUFReader(model).fields["tokenizer.chat_template"].contents()
read = {name: (folder / f"{name}.jinja").read_text(encoding="utf-8")
        for name in ("qwen2_5", "qwen3", "qwen3_instruct_2507", "llama3", "deepseekv3")}
FORMATS = {"chatml": [(CHATML, {}), (read["qwen3_instruct_2507"], {})], "smollm2": [(smollm2, {})], "qwen2.5": [(read["qwen2_5"], {})],
           "qwen3": [(read["qwen3"], {})], "qwen3-no-thinking": [(read["qwen3"], {"enable_thinking": False})],
           "llama3": [(read["llama3"], {"bos_token": "<|begin_of_text|>"})],
           "deepseek-r1": [(read["deepseekv3"], {"bos_token": "<｜begin▁of▁sentence｜>"})]}
environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
rows = [{"messages": messages, "texts": {}} for messages in conversations()]
hashes = []
for name, sources in FORMATS.items():
    for source, values in sources:
        if name != "qwen3-no-thinking":
            hashes.append([hashlib.sha256(source.strip().encode()).hexdigest(), name])
        compiled = environment.from_string(source)
        for row in rows:
            texts = [compiled.render(messages=row["messages"], add_generation_prompt=answers, **values) for answers in (False, True)]
            # The second is the first and what makes the model answer.
            assert texts[1].startswith(texts[0])
            texts[1] = texts[1][len(texts[0]):]
            assert row["texts"].setdefault(name, texts) == texts, name
with open(target, "w", encoding="utf-8") as file:
    file.write(json.dumps({"templates": hashes}, separators=(",", ":"))[:-1] + ',"rows":[\n'
               + ",\n".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in rows) + "\n]}\n")
