#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole iterations of the rl stage in plain PyTorch and double precision, from what was sampled to the new weights.

Usage: replay_iterations.py RUN DUMP.json ["KEY=VALUE..." ...]

RUN has a checkpoint for every iteration; of these only the first is read to go on from, the others to compare with. DUMP
has the parameters, the matrices and what each iteration learned from (tst_training_replay.cpp). Everything else follows
from the definitions here: what the encoder reads, T5's forward, log-probabilities of the policy and of the distribution
really drawn from, KL, advantages, losses, the order of minibatches, AdamW and the schedules. No code of the program is
used, and no batch: each sequence goes through the model by itself. KEY=VALUE changes a parameter, to see that it counts; each
argument is a replay of its own, "" one without changes.
Prints a line for each iteration with the largest difference of a weight from the checkpoint's, as a part of the largest
weight of its tensor (of 0.02 where that is smaller: biases begin at 0), the difference of all weights as a part of what
the iteration changed, and how near a token came to the edge of a clip: beyond the edge it has no gradient, so that single
precision decides where this is of the size of its errors, and the weights go different ways with either right.
"""
import hashlib
import json
import math
import pathlib
import struct
import sys

import numpy as np
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from bench_eager_t5 import bucket  # noqa: E402
from make_matrix_tokens_fixture import embed  # noqa: E402

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
MASK64 = (1 << 64) - 1


class Random:
    """xoshiro256** seeded by SplitMix64 (Blackman and Vigna 2018), with the program's way to derive streams."""

    def __init__(self, seed):
        self.seed, self.state, at = seed, [], seed
        for _ in range(4):
            at, word = self.split_mix(at)
            self.state.append(word)

    @staticmethod
    def split_mix(state):
        state = (state + 0x9E3779B97F4A7C15) & MASK64
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK64
        return state, z ^ (z >> 31)

    def derive(self, stream):
        if isinstance(stream, str):
            stream = int(hashlib.sha256(stream.encode()).hexdigest()[:16], 16)
        _, mixed = self.split_mix(self.seed ^ 0x6A09E667F3BCC909)
        state, mixed = self.split_mix(mixed ^ ((stream * 0xD1342543DE82EF95 + 0x2545F4914F6CDD1D) & MASK64))
        return Random(mixed ^ self.split_mix(state)[1])

    def next(self):
        s, rotate = self.state, lambda x, k: ((x << k) | (x >> (64 - k))) & MASK64
        result = (rotate((s[1] * 5) & MASK64, 7) * 9) & MASK64
        t = (s[1] << 17) & MASK64
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotate(s[3], 45)
        return result

    def below(self, n):
        while n > 1:
            product = self.next() * n
            if (product & MASK64) >= (-n & MASK64) % n:
                return product >> 64
        return 0

    def shuffle(self, values):
        for i in range(len(values), 1, -1):
            j = self.below(i)
            values[i - 1], values[j] = values[j], values[i - 1]


def read_weights(path):
    """A safetensors file of fp32."""
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    weights = {}
    for name, about in json.loads(data[8:8 + length]).items():
        if name != "__metadata__":
            assert about["dtype"] == "F32", name
            begin, end = (8 + length + offset for offset in about["data_offsets"])
            values = np.frombuffer(data[begin:end], dtype="<f4").astype(np.float64)
            weights[name] = torch.from_numpy(values.reshape(about["shape"]))
    return weights


class Model:
    """T5 v1.0, or with the gates of v1.1, and the matrix embedding in front; of the vocabulary, or with a scalar head: a critic."""

    def __init__(self, weights, config):
        self.w = {name: w.clone().requires_grad_(True) for name, w in weights.items()}
        self.c = config
        self.wide = {"relu": ["wi"], "gated-gelu": ["wi_0", "wi_1"]}[config["feed_forward_proj"]]

    def norm(self, x, name):
        return self.w[name] * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.c["layer_norm_epsilon"])

    def attention(self, x, memory, layer, bias):
        heads, width = self.c["num_heads"], self.c["d_kv"]
        q, k, v = ((y @ self.w[f"{layer}.{part}.weight"].T).view(-1, heads, width).transpose(0, 1)
                   for part, y in (("q", x), ("k", memory), ("v", memory)))
        scores = q @ k.transpose(-1, -2)  # T5 does not divide by the root of the width
        out = torch.softmax(scores if bias is None else scores + bias, -1) @ v
        return out.transpose(0, 1).flatten(1) @ self.w[f"{layer}.o.weight"].T

    def bias(self, side, n):
        at = torch.arange(n)
        relative = at[None, :] - at[:, None]
        bidirectional = side == "encoder"
        index = bucket(relative, bidirectional, self.c["relative_attention_num_buckets"],
                       self.c["relative_attention_max_distance"])
        bias = self.w[f"{side}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"][index].permute(2, 0, 1)
        return bias if bidirectional else bias.masked_fill(relative > 0, -math.inf)

    def stack(self, side, x, memory=None):
        bias = self.bias(side, len(x))
        for i in range(self.c["num_layers" if side == "encoder" else "num_decoder_layers"]):
            layer = f"{side}.block.{i}.layer"
            h = self.norm(x, f"{layer}.0.layer_norm.weight")
            x = x + self.attention(h, h, f"{layer}.0.SelfAttention", bias)
            feed = f"{layer}.1"
            if memory is not None:
                h = self.norm(x, f"{layer}.1.layer_norm.weight")
                x = x + self.attention(h, memory, f"{layer}.1.EncDecAttention", None)
                feed = f"{layer}.2"
            h = self.norm(x, f"{feed}.layer_norm.weight")
            wide = [h @ self.w[f"{feed}.DenseReluDense.{part}.weight"].T for part in self.wide]
            h = torch.nn.functional.gelu(wide[0], approximate="tanh") * wide[1] if len(wide) > 1 else torch.relu(wide[0])
            x = x + h @ self.w[f"{feed}.DenseReluDense.wo.weight"].T
        return self.norm(x, f"{side}.final_layer_norm.weight")

    def encode(self, given):
        d = self.c["d_model"]
        features = self.w["matrix.features.weight"] @ given["features"] + self.w["matrix.features.bias"]
        entries = given["entries"] @ self.w["matrix.entry.weight"].T + self.w["matrix.entry.bias"]
        words = self.w["shared.weight"][given["prompt"]]
        return self.stack("encoder", torch.cat([features.view(-1, d), entries, words]))

    def hidden(self, given, targets):
        """Of each sequence [T, d]; T5's decoder begins with <pad>."""
        memory = [self.encode(one) for one in given["inputs"]]
        return [self.stack("decoder", self.w["shared.weight"][torch.tensor([0] + tokens[:-1])], memory[at])
                for tokens, at in zip(targets, given["input_of"])]

    def logits(self, given, targets):
        return [h * self.c["d_model"] ** -0.5 @ self.w["shared.weight"].T for h in self.hidden(given, targets)]

    def values(self, given, targets):
        return [(h @ self.w["value_head.weight"].T + self.w["value_head.bias"])[:, 0]
                for h in self.hidden(given, targets)]


def of_tokens(log, targets):
    return log.gather(1, torch.tensor(targets)[:, None])[:, 0]


def statistics(model, given, targets, temperature):
    """Log-probability and entropy of each token of each sequence."""
    logs = [torch.log_softmax(x / temperature, -1) for x in model.logits(given, targets)]
    return [of_tokens(log, t) for log, t in zip(logs, targets)], [-(log.exp() * log).sum(-1) for log in logs]


def behaviour(logits, targets, p, temperature):
    """Of the distribution really drawn from: top-k and top-p of the policy, mixed with a broader one (SparseRL A.9)."""
    probability = torch.softmax(logits / temperature, -1)
    ordered, index = probability.sort(dim=-1, descending=True, stable=True)
    keep = torch.ones_like(ordered, dtype=torch.bool)
    if p["rl.top_k"] > 0:
        keep[:, p["rl.top_k"]:] = False
    if p["rl.top_p"] < 1:
        kept = ordered * keep
        keep &= kept.cumsum(-1) - kept < p["rl.top_p"] * kept.sum(-1, keepdim=True)
    kept = torch.zeros_like(ordered).scatter(1, index, ordered * keep)
    kept = kept / kept.sum(-1, keepdim=True)
    share = p["rl.broad_share"]
    mixed = (1 - share) * kept + share * torch.softmax(logits / p["rl.broad_temperature"], -1)
    return of_tokens(mixed.log(), targets)


def kl(logp, ref, estimator):
    d = logp - ref
    return {"k1": d, "abs": d.abs(), "k2": d * d / 2, "k3": torch.exp(-d) - 1 + d}[estimator]


def advantages_ppo(rewards, values, p):
    """GAE, whitened over all tokens with Bessel's correction; returns before whitening."""
    raw, returns = [], []
    for r, v in zip(rewards, values):
        a, after = torch.zeros(len(r)), 0.0
        for t in reversed(range(len(r))):
            following = float(v[t + 1]) if t + 1 < len(r) else 0.0
            after = float(r[t] + p["rl.gamma"] * following - v[t]) + p["rl.gamma"] * p["rl.lambda"] * after
            a[t] = after
        raw.append(a)
        returns.append(a + v)
    if p["rl.whiten"]:
        every = torch.cat(raw)
        raw = [(a - every.mean()) / torch.sqrt(every.var() + 1e-8) for a in raw]
    return raw, returns


def advantages_grpo(rewards, groups):
    """Standardised in the group, with the unbiased deviation."""
    totals = torch.stack([r.sum() for r in rewards])
    result = []
    for i, r in enumerate(rewards):
        of_group = totals[[g == groups[i] for g in groups]]
        result.append(((totals[i] - of_group.mean()) / (of_group.std() + 1e-6)).expand(len(r)))
    return result


def aggregated(per_token, mode):
    """One number of a minibatch."""
    if mode == "token-mean":
        return torch.cat(per_token).mean()
    assert mode == "seq-mean-token-mean"
    return torch.stack([x.mean() for x in per_token]).mean()


class Edges:
    """How near the tokens came to an edge at which a loss has another gradient."""

    def __init__(self):
        self.nearest = math.inf

    def add(self, distances):
        if distances.numel() > 0:
            self.nearest = min(self.nearest, float(distances.detach().abs().min()))


def policy_loss(logp, old, advantage, weight, p, edges):
    ratio = torch.exp(logp - old)
    edges.add(ratio - (1 - p["rl.clip_low"]))
    edges.add(ratio - (1 + p["rl.clip_high"]))
    if p["rl.dual_clip"] > 0:
        edges.add(ratio - p["rl.dual_clip"])
    clipped = ratio.clamp(1 - p["rl.clip_low"], 1 + p["rl.clip_high"])
    loss = torch.maximum(-advantage * ratio, -advantage * clipped)
    if p["rl.dual_clip"] > 0:
        bounded = torch.minimum(loss, -p["rl.dual_clip"] * advantage)
        loss = torch.where(advantage < 0, bounded, loss)
    return loss * weight


def value_loss(v, old, returns, clip, edges):
    loss = (v - returns) ** 2
    if clip > 0:
        edges.add((v - old).abs() - clip)
        loss = torch.maximum(loss, (torch.clamp(v, min=old - clip, max=old + clip) - returns) ** 2)
    return loss / 2


def rate(p, key, iteration):
    """Linear from the peak to its floor, behind a linear warm-up."""
    peak, warmup, total = p[key], p["rl.warmup"], p["rl.iterations"]
    if iteration < warmup:
        return peak * (iteration + 1) / warmup
    if p["rl.schedule"] == "constant" or total <= warmup + 1:
        return peak
    assert p["rl.schedule"] == "linear"
    floor, part = p["rl.lr_floor"], (iteration - warmup) / (total - 1 - warmup)
    return peak * (floor + (1 - floor) * (1 - part))


def adam_of(model, p):
    """Weight decay for matrices alone."""
    tensors = list(model.w.values())
    return torch.optim.AdamW([{"params": [t for t in tensors if t.dim() > 1], "weight_decay": p["rl.weight_decay"]},
                              {"params": [t for t in tensors if t.dim() <= 1], "weight_decay": 0.0}],
                             betas=(0.9, 0.999), eps=p["rl.adam_eps"])


def step(optimizer, model, loss, learning_rate, clip):
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(list(model.w.values()), clip)
    for group in optimizer.param_groups:
        group["lr"] = learning_rate
    optimizer.step()


class Replay:
    def __init__(self, run, dump, parameters):
        self.run, self.p = run, parameters
        start = self.checkpoint(0)
        self.config = json.loads((start / "config.json").read_text())
        assert self.config["tie_word_embeddings"]
        embedding = self.config["sparserl"]["embedding"]
        assert embedding["mode"] == "sinusoidal+structure"
        self.matrices = []
        for m in dump["matrices"]:
            r, c = np.array(m["r"]), np.array(m["c"])
            features, positions, extras = embed(m["rows"], m["cols"], r, c, embedding["pe_dim"])
            self.matrices.append({"features": torch.tensor(features), "at": {rc: i for i, rc in enumerate(zip(m["r"], m["c"]))},
                                  "entries": torch.from_numpy(np.concatenate([positions, extras], 1))})
        self.policy = Model(read_weights(start / "model.safetensors"), self.config)
        self.reference = Model(read_weights(start / "model.safetensors"), self.config)
        self.actor_adam = adam_of(self.policy, parameters)
        self.critic = None
        if parameters["rl.algorithm"] == "ppo":
            self.critic = Model(read_weights(start / "critic.safetensors"), self.config)
            self.critic_adam = adam_of(self.critic, parameters)
        self.coefficient = parameters["rl.kl_coef"]
        self.earlier = None  # the policy before the last iteration
        self.edges = Edges()

    def checkpoint(self, number):
        return self.run / "checkpoints" / f"step-{number:06d}"

    def inputs(self, dumped):
        """What the encoder reads, from the places of the non-zeros that were taken."""
        result = []
        for one in dumped:
            matrix = self.matrices[one["matrix"]]
            taken = [matrix["at"][rc] for rc in zip(one["r"], one["c"])]
            result.append({"features": matrix["features"], "entries": matrix["entries"][taken],
                           "prompt": torch.tensor(one["prompt"], dtype=torch.long)})
        return result

    def iteration(self, number, sampled):
        """Learns from what iteration `number` sampled; returns the largest error of the sampler's log-probabilities."""
        p, targets = self.p, sampled["targets"]
        given = {"inputs": self.inputs(sampled["inputs"]), "input_of": sampled["input_of"]}
        frozen = self.critic is not None and number < p["rl.value_pretrain"]
        temperature = p["rl.temperature"]
        if p["rl.temperature_end"] > 0:
            temperature += (p["rl.temperature_end"] - temperature) * number / (p["rl.iterations"] - 1)

        # Judged ahead: written before the last iteration was learned from.
        ahead = p["rl.judge_ahead"] and self.earlier is not None
        writer = self.earlier if ahead else self.policy
        with torch.no_grad():
            old, _ = statistics(self.policy, given, targets, temperature)
            ref, _ = statistics(self.reference, given, targets, temperature)
            written, _ = statistics(writer, given, targets, temperature)
            error = max(float((o - torch.tensor(s)).abs().max()) for o, s in zip(written, sampled["sampler"]))
            weights = [torch.ones(len(t)) for t in targets]
            assert not ahead or sampled["behaviour"]
            if sampled["behaviour"]:
                drawn = [behaviour(x, t, p, temperature) for x, t in zip(writer.logits(given, targets), targets)]
                error = max(error, max(float((d - torch.tensor(s)).abs().max())
                                       for d, s in zip(drawn, sampled["behaviour"])))
                weights = [torch.exp(o - d).clamp(max=p["rl.behaviour_cap"]) for o, d in zip(old, drawn)]
            rewards = []
            for o, r, score in zip(old, ref, sampled["scores"]):
                reward = -self.coefficient * kl(o, r, p["rl.kl_estimator"])
                reward[-1] += score
                rewards.append(reward)
            if self.critic is not None:
                values = self.critic.values(given, targets)
                advantages, returns = advantages_ppo(rewards, values, p)
            else:
                advantages = advantages_grpo(rewards, sampled["groups"])
            k1 = float(torch.cat([o - r for o, r in zip(old, ref)]).mean())
        self.earlier = Model({name: w.detach() for name, w in self.policy.w.items()}, self.config)

        order, draws = list(range(len(targets))), Random(p["seed"]).derive("update").derive(number)
        for _ in range(p["rl.value_epochs"] if frozen else p["rl.epochs"]):
            draws.shuffle(order)
            for begin in range(0, len(order), p["rl.minibatch"]):
                rows = order[begin:begin + p["rl.minibatch"]]
                few = {"inputs": given["inputs"], "input_of": [given["input_of"][i] for i in rows]}
                texts = [targets[i] for i in rows]
                if not frozen:
                    logp, entropy = statistics(self.policy, few, texts, temperature)
                    mode = p["rl.aggregation"]
                    loss = aggregated([policy_loss(x, old[i], advantages[i], weights[i], p, self.edges)
                                       for x, i in zip(logp, rows)], mode)
                    loss = loss - p["rl.entropy_coef"] * aggregated(entropy, mode)
                    if p["rl.kl_loss_coef"] > 0:
                        loss = loss + p["rl.kl_loss_coef"] * aggregated(
                            [kl(x, ref[i], p["rl.kl_loss_estimator"]) for x, i in zip(logp, rows)], mode)
                    step(self.actor_adam, self.policy, loss, rate(p, "rl.lr", number), p["rl.grad_clip"])
                if self.critic is not None:
                    loss = aggregated([value_loss(x, values[i], returns[i], p["rl.value_clip"], self.edges)
                                       for x, i in zip(self.critic.values(few, texts), rows)], p["rl.aggregation"])
                    step(self.critic_adam, self.critic, loss, rate(p, "rl.critic_lr", number), p["rl.grad_clip"])
        if p["rl.kl_target"] > 0:
            wrong = min(max(k1 / p["rl.kl_target"] - 1, -0.2), 0.2)
            self.coefficient *= 1 + wrong * len(targets) / p["rl.kl_horizon"]
        return error

    def compare(self, number):
        """(of a tensor's largest weight, whose, of all that this iteration has changed) at the worst of both models."""
        worst, change_error = (0.0, ""), 0.0
        models = [(self.policy, "model.safetensors")]
        if self.critic is not None:
            models.append((self.critic, "critic.safetensors"))
        for model, file in models:
            now, before = read_weights(self.checkpoint(number) / file), read_weights(self.checkpoint(number - 1) / file)
            assert now.keys() == model.w.keys()
            difference = {name: (model.w[name].detach() - now[name]) for name in now}
            change = sum(float(((now[name] - before[name]) ** 2).sum()) for name in now)
            all_of_it = sum(float((d ** 2).sum()) for d in difference.values())
            if change > 0:
                change_error = max(change_error, math.sqrt(all_of_it / change))
            else:
                assert all_of_it < 1e-20, "weights changed that were frozen in the program"
            for name, d in difference.items():
                relative = float(d.abs().max() / now[name].abs().max().clamp(min=2e-2))
                worst = max(worst, (relative, f"{file} {name}"))
        return *worst, change_error


def main():
    run, text = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text()
    for changes in sys.argv[3:] or [""]:
        dump = json.loads(text)
        for assignment in changes.split():
            key, value = assignment.split("=", 1)
            dump["parameters"][key] = json.loads(value)
        print(f"with {changes or 'the parameters of the run'}", flush=True)
        replay = Replay(run, dump, dump["parameters"])
        for number, sampled in enumerate(dump["iterations"]):
            error = replay.iteration(number, sampled)
            weights, where, change = replay.compare(number + 1)
            print(f"iteration {number + 1}: log-probabilities {error:.3g}, weights {weights:.3g}, change {change:.3g}, edge "
                  f"{replay.edges.nearest:.3g}; worst is {where}", flush=True)


if __name__ == "__main__":
    main()
