// SPDX-License-Identifier: Apache-2.0
#include "training/parameters/parameter_groups.h"

#include "training/parameters/parameter_keys.h"

namespace sparserl {

namespace {

using Spec = ParameterSpec;

const char* const fullDistribution = "reference: pure ancestral sampling";

void addAlarm(ParameterDeclarations& all, const Spec& threshold, Param<std::string> action, const char* doing)
{
    const std::string group = "Alarms";
    all.add(Spec(threshold).nextIteration().group(group));
    all.add(Spec::choice(action, doing, {"off", "warn", "pause", "stop"})
                .nextIteration()
                .group(group)
                .help("What this alarm does: warn logs a warning, pause pauses the run, and stop ends the "
                      "run as failed."));
}

} // namespace

void addRlDecoding(ParameterDeclarations& all)
{
    const std::string group = "Rollout";
    all.add(Spec::real(param::rl::temperatureEnd, 0.0)
                .range(0, 100)
                .nextIteration()
                .group(group)
                .source("SparseRL A.9: temperature annealing")
                .help("Temperature of the last iteration; it changes linearly from rl.temperature. 0: "
                      "rl.temperature in all iterations."));
    all.add(Spec::integer(param::rl::topK, 0)
                .range(0, 1000000)
                .nextIteration()
                .group(group)
                .source(fullDistribution)
                .help("Number of the most likely tokens from which each token is sampled; 0: all. Training "
                      "corrects for this (rl.behaviour_cap)."));
    all.add(Spec::real(param::rl::topP, 1.0)
                .range(0, 1)
                .above(0)
                .nextIteration()
                .group(group)
                .source(fullDistribution)
                .help("Sample from the most likely tokens whose probabilities add up to this; 1: all."));
    all.add(Spec::real(param::rl::broadShare, 0.0)
                .range(0, 1)
                .nextIteration()
                .group(group)
                .source(fullDistribution)
                .help("Weight of a second distribution with which the sampling distribution is mixed: all "
                      "tokens, at rl.broad_temperature. SparseRL A.9 uses 0.3."));
    all.add(Spec::real(param::rl::broadTemperature, 0.7)
                .above(0)
                .nextIteration()
                .group(group)
                .source("SparseRL A.9")
                .help("Temperature of the second distribution of the mixture."));
    all.add(Spec::real(param::rl::behaviourCap, 2.0)
                .above(0)
                .nextIteration()
                .group(group)
                .source("truncated importance sampling, verl PR 2953")
                .help("If samples do not come from the policy itself (but from top-k, top-p or a mixture), "
                      "the loss of a token is weighted by its probability under the policy divided by the "
                      "probability with which it was drawn. The weight is capped at this value."));
    all.add(
        Spec::choice(param::rl::behaviourCorrection, "token-truncate", {"token-truncate", "sequence-mask"})
            .nextIteration()
            .group(group)
            .source("truncated and masked importance sampling, TRL vllm_importance_sampling_mode")
            .help("How the weights of rl.behaviour_cap are applied. token-truncate: each token has its own "
                  "weight. sequence-mask: all tokens of a program have the product of their weights, and a "
                  "program with a product above the cap is left out."));
}

void addEvaluateDecoding(ParameterDeclarations& all)
{
    const std::string group = "Evaluation";
    all.add(Spec::integer(param::evaluate::topK, 0)
                .range(0, 1000000)
                .group(group)
                .help("Number of the most likely tokens from which each token is sampled; 0: all."));
    all.add(Spec::real(param::evaluate::topP, 1.0)
                .range(0, 1)
                .above(0)
                .group(group)
                .help("Sample from the most likely tokens whose probabilities add up to this; 1: all."));
    all.add(Spec::real(param::evaluate::broadShare, 0.0)
                .range(0, 1)
                .group(group)
                .source("SparseRL A.9: 0.3")
                .help("Weight of a second distribution with which the sampling distribution is mixed: all "
                      "tokens, at evaluate.broad_temperature."));
    all.add(Spec::real(param::evaluate::broadTemperature, 0.7)
                .above(0)
                .group(group)
                .source("SparseRL A.9")
                .help("Temperature of the second distribution of the mixture."));
    all.add(Spec::boolean(param::evaluate::greedy, false)
                .group(group)
                .help("Always take the most likely token, so that all samples of a matrix are the same "
                      "program."));
    all.add(Spec::integer(param::evaluate::beam, 0)
                .range(0, 4096)
                .group(group)
                .source("SparseRL A.23: beams of 5")
                .help("Number of beams of a beam search that replaces sampling. The programs for a matrix "
                      "are its best beams, so evaluate.samples must not exceed this. 0: sampling."));
}

void addRecipeKnobs(ParameterDeclarations& all)
{
    const std::string group = "Algorithm";
    all.add(Spec::integer(param::rl::resampleRounds, 0)
                .range(0, 1000)
                .unit("rounds")
                .nextIteration()
                .group(group)
                .source("DAPO, dynamic sampling; verl max_num_gen_batches 10")
                .help("Dynamic sampling: sample further rounds of rl.matrices matrices, at most this many, "
                      "until rl.matrices groups have rewards that differ. Groups whose rewards are all equal "
                      "are left out. 0: no further rounds."));
    all.add(Spec::choice(param::rl::whitenOver, "batch", {"batch", "matrix"})
                .nextIteration()
                .group(group)
                .help("Tokens over which rl.whiten computes the mean and the standard deviation. batch: all "
                      "tokens. matrix: those of the samples for one matrix, so that easy and hard matrices "
                      "count equally."));
    all.add(Spec::boolean(param::rl::tokenClasses, false)
                .nextIteration()
                .group(group)
                .source("TritonRL eq. 1 and 2")
                .help("Treat plan lines and code as two token classes, each with its own reward, group "
                      "baseline and token count. This is for group algorithms, and it replaces "
                      "rl.aggregation."));
    all.add(Spec::real(param::rl::planWeight, 0.1)
                .range(0, 10)
                .nextIteration()
                .group(group)
                .source("TritonRL: alpha 0.1")
                .help("With rl.token_classes: weight of the plan's tokens relative to the code's."));
}

void addRejectionFineTuning(ParameterDeclarations& all)
{
    const std::string data = "Samples to learn from", group = "Optimisation";
    all.add(Spec::integer(param::rft::samples, 32)
                .range(1, 65536)
                .unit("programs")
                .group(data)
                .help("Number of programs that the policy writes for each training matrix."));
    all.add(Spec::real(param::rft::temperature, 1.0)
                .above(0)
                .group(data)
                .help("Sampling temperature of these programs."));
    all.add(Spec::integer(param::rft::maxTokens, 0)
                .range(0, 65536)
                .unit("tokens")
                .group(data)
                .help("Length of the longest program, including end-of-sequence; 0: the policy's own "
                      "limit."));
    all.add(Spec::boolean(param::rft::verifier, true)
                .group(data)
                .source("SparseRL A.3")
                .help("Stop a sample as soon as it can no longer compile."));
    all.add(Spec::real(param::rft::minReward, 0.0)
                .range(-10, 10)
                .group(data)
                .source("CUDA Agent 3.3: outcome filter, R > 0")
                .help("Programs with a reward above this are kept."));
    all.add(Spec::integer(param::rft::repeatLimit, 3)
                .range(0, 1000)
                .unit("lines")
                .group(data)
                .source("CUDA Agent 3.3: pattern filter")
                .help("Leave out programs with more than this number of identical lines in a row, programs "
                      "that were cut off by the length limit, and programs whose time or result cannot be "
                      "trusted. 0: any number of identical lines."));
    all.add(Spec::integer(param::rft::perMatrix, 0)
                .range(0, 65536)
                .unit("programs")
                .group(data)
                .help("Keep only this many programs per matrix, those with the highest rewards; 0: all."));
    all.add(Spec::integer(param::rft::steps, 100)
                .range(1, 100000000)
                .unit("steps")
                .group(group)
                .help("Number of optimizer steps."));
    all.add(Spec::integer(param::rft::batch, 32)
                .range(1, 65536)
                .unit("programs")
                .group(group)
                .help("Number of programs in one step; all matrices are drawn equally often."));
    all.add(Spec::integer(param::rft::microBatch, 32)
                .range(1, 65536)
                .unit("programs")
                .group(group)
                .help("Number of programs in memory at once; it does not change the gradient."));
    all.add(
        Spec::real(param::rft::lr, 1e-3).above(0).nextIteration().group(group).help("Peak learning rate."));
    all.add(Spec::choice(param::rft::schedule, "cosine", {"constant", "linear", "cosine"})
                .group(group)
                .help("Schedule of the learning rate after the warm-up."));
    all.add(Spec::integer(param::rft::warmup, 10)
                .atLeast(0)
                .unit("steps")
                .group(group)
                .help("Number of steps of linear warm-up."));
    all.add(Spec::real(param::rft::lrFloor, 0.05)
                .range(0, 1)
                .group(group)
                .help("Learning rate at the last step, as a share of the peak."));
    all.add(Spec::real(param::rft::weightDecay, 0.01)
                .range(0, 10)
                .nextIteration()
                .group(group)
                .source("RFT-Kernels Table 1")
                .help("Decoupled weight decay, applied to weight matrices only."));
    all.add(Spec::real(param::rft::adamEps, 1e-8).above(0).group(group).help("Adam's epsilon."));
    all.add(Spec::real(param::rft::gradClip, 1.0)
                .atLeast(0)
                .nextIteration()
                .group(group)
                .help("Largest global norm of the gradient; 0: no limit."));
}

void addAlarms(ParameterDeclarations& all, bool reinforcement)
{
    const std::string group = "Alarms";
    all.add(Spec::integer(param::alarm::patience, 3)
                .range(1, 100000)
                .unit(reinforcement ? "iterations" : "steps")
                .nextIteration()
                .group(group)
                .help("Number of violations in a row before an alarm acts. An alarm that may pause or "
                      "stop the run logs the first violation at once. At the end of a run, a single "
                      "violation is enough."));
    addAlarm(
        all,
        Spec::real(param::alarm::loss, reinforcement ? 20 : 5)
            .above(0)
            .help("Alarm if a loss exceeds k (m + 0.1), where k is this value and m is the median of the "
                  "loss's last 20 values. A loss that is not finite always ends the run."),
        param::alarm::lossAction, reinforcement ? "warn" : "stop");
    addAlarm(all,
             Spec::real(param::alarm::gradient, 1e-12)
                 .atLeast(0)
                 .help("Alarm if the norm of the gradient is below this although there is something to "
                       "learn, which means that the weights have become so large that the gradient "
                       "vanishes."),
             param::alarm::gradientAction, "stop");
    if (!reinforcement) {
        addAlarm(
            all,
            Spec::real(param::alarm::unlearned, 2)
                .above(0)
                .help("Alarm if the loss, in nats per token, is above this after the hundredth step. With a "
                      "vocabulary of 1,000, a model that knows only the frequencies of tokens has a loss of "
                      "4.2. With a learning rate 100 times too high, the loss stays between 2.4 and 4.2; a "
                      "good run has reached 0.3."),
            param::alarm::unlearnedAction, "warn");
        return;
    }
    addAlarm(all,
             Spec::real(param::alarm::entropyLow, 0.001)
                 .atLeast(0)
                 .help("Alarm if the entropy per token falls below this, which means that the policy always "
                       "writes the same program."),
             param::alarm::entropyLowAction, "warn");
    addAlarm(all,
             Spec::real(param::alarm::entropyHigh, 4)
                 .above(0)
                 .help("Alarm if the entropy exceeds k h + 0.1, where k is this value and h is the first "
                       "entropy of the run."),
             param::alarm::entropyHighAction, "warn");
    addAlarm(all,
             Spec::real(param::alarm::kl, 3)
                 .above(0)
                 .help("Alarm if the KL divergence per token to the policy of rl.kl_reference (estimator "
                       "k1) exceeds this."),
             param::alarm::klAction, "stop");
    addAlarm(all,
             Spec::real(param::alarm::compileRate, 0.1)
                 .range(0, 1)
                 .help("Alarm if the share of programs that compile is below its first value times this, "
                       "and also more than 0.1 below its first value, because smaller changes may be "
                       "chance."),
             param::alarm::compileRateAction, "stop");
    addAlarm(all,
             Spec::real(param::alarm::families, 0.1)
                 .range(0, 1)
                 .help("Alarm if the entropy of the sampled kernel families is below its first value times "
                       "this, and also more than 0.1 below its first value, which means that the policy "
                       "writes the same family for every matrix."),
             param::alarm::familiesAction, "warn");
    addAlarm(all,
             Spec::real(param::alarm::reward, 0.5)
                 .above(0)
                 .help("Alarm if the mean reward is below its first value by more than this value."),
             param::alarm::rewardAction, "warn");
    addAlarm(all,
             Spec::integer(param::alarm::silent, 10)
                 .range(1, 100000)
                 .unit("iterations")
                 .help("Alarm after this many iterations in a row with nothing to learn from: no program "
                       "compiles, or all programs of each group have the same reward."),
             param::alarm::silentAction, "warn");
    addAlarm(all,
             Spec::real(param::alarm::sampler, 0.05)
                 .above(0)
                 .help("Alarm if the log-probabilities of the sampler and of training differ by more than "
                       "this per token on average, so that the sampler seems to have other weights. "
                       "Rounding in bf16 stays below 0.02. Does nothing with rl.judge_ahead, where the "
                       "sampler is one update behind."),
             param::alarm::samplerAction, "warn");
    addAlarm(all,
             Spec::real(param::alarm::explainedVariance, -1)
                 .range(-1000000, 1)
                 .help("Alarm if the critic's explained variance is below this while the policy learns."),
             param::alarm::explainedVarianceAction, "warn");
}

} // namespace sparserl
