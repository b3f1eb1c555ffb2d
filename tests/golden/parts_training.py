# SPDX-License-Identifier: Apache-2.0
"""Every stage on a tiny project: what lies in the run directories and the index afterwards, and what was said."""
import collections
import hashlib
import json
import re
import sqlite3
import zlib

import samples
from cleaning import TIME_COLUMNS, MASK, dump, pretty
from parts_commands import listing
from tools import Output

MATRICES = {
    "train": ["stencil2d(n=12,points=5)", "banded(n=150,band=3,fill=0.9)", "random(rows=120,cols=100,mean=6)",
              "rmat(scale=7,degree=4)"],
    "held-out": ["lp(rows=60,cols=200,mean=4,long=2,longfill=0.5)", "blockfem(nodes=27,block=3)"],
}
RUN = ["threads=1", "judge.device=sim", f"judge.seed={samples.JUDGE_SEED}", "system.every=0"]  # what comes by the clock has no fixed place in a journal
# One family in one style: a policy of this size then writes some correct programs, and advantages are not all alike.
SFT = ["sft.steps=200", "sft.programs_per_matrix=4", "sft.heldout_programs=3", "sft.batch=12", "sft.micro_batch=6",
       "sft.warmup=5", "policy.d_model=64", "policy.d_kv=16", "policy.d_ff=128", "policy.encoder_layers=1",
       "policy.decoder_layers=2", "policy.views=2", "tokenizer.vocabulary=600", "checkpoint.every=50", "eval.every=100",
       "eval.samples=4", "sft.families=S1", "sft.max_bytes=600", "sft.variety=0", "sft.recommended=0"]
RL = ["rl.iterations=2", "rl.matrices=2", "rl.samples=8", "rl.minibatch=8", "rl.micro_batch=4", "checkpoint.every=1",
      "eval.every=1", "eval.samples=4", "reward.stats_samples=3", "rl.value_pretrain=0", "rl.max_tokens=160"]
EVALUATE = ["evaluate.samples=8", "evaluate.k=1,2,4", "reward.stats_samples=3"]

# Preset, what is different, name of the run.
ALGORITHMS = [
    ("dr-grpo", [], "dr-grpo"),
    ("grpo", [], "grpo"),
    ("tritonrl", [], "tritonrl"),
    ("rloo", ["rl.kl_estimator=k2"], "rloo"),
    ("reinforce-plus-plus", [], "reinforce-pp"),
    ("reinforce-plus-plus", ["rl.algorithm=reinforce++-baseline", "reward.preset=hierarchical"], "reinforce-pp-baseline"),
    ("sparserl-ppo", ["rl.value_pretrain=1", "rl.kl_target=0.1", "rl.kl_loss_coef=0.01"], "sparserl-ppo"),
]
REWARDS = ["sparserl-literal", "coderl", "ppocoder", "milestone"]

JOB = """title = "Golden"
[[stage]]
run = "sft"
title = "Supervised fine-tuning"
preset = "quickstart-sft"
set = {sft}
[[stage]]
run = "ppo"
preset = "quickstart-ppo"
parent = "sft"
set = {rl}
[[stage]]
run = "evaluation"
preset = "quickstart-evaluate"
parent = "ppo"
set = {evaluate}
[export]
run = "evaluation"
"""


def assignments(values):
    return [word for value in values for word in ("--set", value)]


def make_project(tools):
    project = tools.work / "project"
    yield Output("project new", tools.said("project", "new", project, "--title", "Golden"))
    for split, generators in MATRICES.items():
        words = [word for text in generators for word in ("--generate", text)]
        yield Output(f"import {split}", tools.said("import", "--json", "--project", project, "--split", split, *words))
    yield Output("project.toml", tools.cleaner.text((project / "project.toml").read_text(encoding="utf-8")))


def text_digest(tools, file):
    return hashlib.sha256(tools.cleaner.text(file.read_text(encoding="utf-8")).encode()).hexdigest()


def run_outputs(tools, run):
    """Journal, run.toml and checkpoints of a run directory."""
    lines = (run / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    kinds = collections.Counter(json.loads(line)["kind"] for line in lines)
    summary = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    name = run.name
    yield Output(f"{name}: journal", "\n".join(map(tools.cleaner.line, lines)), summary, bound=True)
    text = (run / "run.toml").read_text(encoding="utf-8")
    yield Output(f"{name}: run.toml", tools.cleaner.text(text))
    for checkpoint in sorted((run / "checkpoints").glob("*")):
        hashes = []
        for file in sorted(path for path in checkpoint.rglob("*") if path.is_file()):
            if file.name == "checkpoint.json":
                listed = tools.cleaner.value(json.loads(file.read_text(encoding="utf-8")))
                listed["files"].get("run.toml", {})["sha256"] = MASK  # it says when the run was made
                hashes.append(dump(listed))
            elif file.name == "run.toml":
                hashes.append(f"{text_digest(tools, file)} {file.name}")
            elif file.name != "DONE":  # the checksum of checkpoint.json, which holds times
                hashes.append(f"{hashlib.sha256(file.read_bytes()).hexdigest()} {file.relative_to(checkpoint)}")
        yield Output(f"{name}: {checkpoint.name}", "\n".join(hashes), f"{len(hashes)} files", bound=True)
    others = sorted(path.name for path in run.iterdir())
    yield Output(f"{name}: files", "\n".join(others))


def cell(tools, column, value):
    if column in TIME_COLUMNS:
        return MASK
    if isinstance(value, bytes):
        try:
            value = zlib.decompress(value).decode()
        except (zlib.error, UnicodeDecodeError):
            return hashlib.sha256(value).hexdigest()
    return tools.cleaner.line(value) if isinstance(value, str) else value


def index_outputs(tools, file):
    """Schema and rows of every table; rows in their own order."""
    database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    schema = database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name").fetchall()
    yield Output("index: schema", "\n".join(row[0] for row in schema))
    tables = database.execute("SELECT name FROM sqlite_master WHERE type='table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    for (table,) in tables.fetchall():
        cursor = database.execute(f'SELECT * FROM "{table}"')
        columns = [item[0] for item in cursor.description]
        clock = columns.index("name") if "name" in columns and "value" in columns else None
        rows = []
        for row in cursor.fetchall():
            cells = {column: cell(tools, column, value) for column, value in zip(columns, row)}
            if table == "meta":  # sizes and times of files
                cells["value"] = re.sub(r"-?\d{3,}", MASK, str(cells["value"]))
            if clock is not None and "split" in columns:
                cells = tools.cleaner.value(cells)
            rows.append(dump(cells))
        yield Output(f"index: {table}", "\n".join(sorted(rows)), f"{len(rows)} rows", bound=True)
    database.close()


def exported(tools, project):
    for bundle in sorted((project / "exports").glob("*")):
        manifest = tools.cleaner.value(json.loads((bundle / "manifest.json").read_text(encoding="utf-8")))
        yield Output(f"export {bundle.name}: manifest", pretty(manifest), bound=True)
        files = [line for line in listing(bundle).splitlines() if not line.endswith(" manifest.json")]
        yield Output(f"export {bundle.name}: files", "\n".join(files), f"{len(files)} files", bound=True)


def stages(tools):
    yield from make_project(tools)
    project = tools.work / "project"
    job = JOB.format(sft=json.dumps(RUN + SFT), rl=json.dumps(RUN + RL), evaluate=json.dumps(RUN + EVALUATE))
    (project / "job.toml").write_text(job, encoding="utf-8")
    yield Output("job", tools.said("job", "--json", project), bound=True)
    runs = project / "runs"
    for preset, changes, name in ALGORITHMS:
        done = tools.said("train", preset, "--json", "--run", runs / name, "--project", project, "--parent", "sft",
                          "--title", f"Golden {name}", *assignments(RUN + RL + changes))
        yield Output(f"train {name}", done, done.partition("\n")[0], bound=True)
    for reward in REWARDS:
        tools.must("train", "rloo", "--run", runs / f"reward-{reward}", "--project", project, "--parent", "sft",
                   *assignments(RUN + RL + [f"reward.preset={reward}", "rl.iterations=1", "eval.samples=0"]))
    for run in sorted(runs.iterdir()):
        yield from run_outputs(tools, run)
    yield from exported(tools, project)
    yield from said_of_project(tools, project)
    yield Output("project reindex", tools.said("project", "reindex", project), bound=True)  # numbers of programs and metrics
    yield from index_outputs(tools, project / "project.sqlite")


def said_of_project(tools, project):
    runs = project / "runs"
    for form in ([], ["--json"]):
        end = " ".join(form)
        yield Output(f"runs {end}", tools.said("runs", "--project", project, *form), bound=True)
        yield Output(f"runs ppo {end}", tools.said("runs", "ppo", "--project", project, *form), bound=True)
        yield Output(f"generate {end}", tools.said("generate", "--policy", runs / "sft", "--matrix", MATRICES["train"][0],
                                                   "-n", 3, "--device", "sim", "--judge-seed", samples.JUDGE_SEED, *form), bound=True)
        yield Output(f"evaluate {end}", tools.said("evaluate", "--policy", runs / "sft", "--matrices",
                                                   MATRICES["held-out"][1], "-k", "1,2", "--device", "sim",
                                                   "--set", f"judge.seed={samples.JUDGE_SEED}", *form), bound=True)
        yield Output(f"job done {end}", tools.said("job", project, *form), bound=True)
