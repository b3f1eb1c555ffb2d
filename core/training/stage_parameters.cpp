// SPDX-License-Identifier: Apache-2.0
#include "training/stage_parameters.h"

#include "reward/weights.h"
#include "training/parameter_groups.h"
#include "training/parameter_keys.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>

namespace sparserl {

namespace {

using Spec = ParameterSpec;

ParameterDeclarations commonParameters()
{
    const std::string group = "Run";
    return {
        Spec::integer(param::seed, 1)
            .atLeast(0)
            .group(group)
            .help("Everything random in this run derives from it."),
        Spec::integer(param::threads, 0)
            .range(0, 1024)
            .unit("threads")
            .group(group)
            .help("Threads of the tensor library; 0 is one per core. Results repeat bit for bit only with "
                  "the same number."),
        Spec::text(param::device, "auto")
            .group(group)
            .help("Where the policy writes and learns: cpu, cuda, cuda:N, or auto for the first GPU that "
                  "LibTorch can use, else the CPU. A run may go on elsewhere, with other roundings."),
        Spec::choice(param::precision, "fp32", {"fp32", "bf16"})
            .group(group)
            .help("Of the products inside the policy's layers. Weights, sums and the last layer are fp32 "
                  "always; bf16 is for GPUs."),
        Spec::choice(param::judge::device, "auto", {"auto", "sim", "cuda"})
            .group(group)
            .help("Where programs run: the simulated device, a GPU, or the GPU where one works."),
        Spec::text(param::judge::gpus, "0")
            .group(group)
            .help("Numbers of the GPUs that judge programs, separated by commas."),
        Spec::text(param::judge::model, "h200")
            .group(group)
            .help("Device model that the simulated device times programs with: h200, generic, or a file of "
                  "`sparserl device calibrate`."),
        Spec::choice(param::judge::timing, "standard", {"standard", "paper"})
            .group(group)
            .help("On a GPU: median against the best cuSPARSE CSR routine, or as in the paper the mean of "
                  "1,000 calls against its default algorithm."),
        Spec::boolean(param::judge::inTurn, false)
            .group(group)
            .help("On a GPU: time every correct program in turn with the baseline. For final figures."),
        Spec::boolean(param::judge::cold, false)
            .group(group)
            .help("On a GPU: time programs with empty caches too. Rewards use warm times, and it takes "
                  "longer than "
                  "everything else."),
        Spec::integer(param::judge::seed, 20260101)
            .atLeast(0)
            .group(group)
            .help("Secret mixed into the inputs of every judged program."),
    };
}

/// What programs compute, for the stages that judge some.
void addTask(ParameterDeclarations& all)
{
    const std::string group = "Run";
    all.add(Spec::choice(param::task, "spmv", {"spmv", "spmm"})
                .group(group)
                .source("SparseRL 3.1")
                .help("What programs compute: y = A x, or C = A B with a dense B of dense_columns columns. A "
                      "policy that was trained for one task writes programs of that task."));
    all.add(Spec::integer(param::denseColumns, 8)
                .range(2, 1024)
                .unit("columns")
                .group(group)
                .source("SparseRL 4: 8 and 32")
                .help("Columns of B, for the task spmm."));
}

ParameterDeclarations checkpointParameters(std::int64_t every, std::int64_t evalEvery, bool samples = true)
{
    const std::string group = "Checkpoints and evaluation";
    ParameterDeclarations all = {
        Spec::integer(param::checkpoint::every, every)
            .atLeast(1)
            .unit("steps")
            .nextIteration()
            .group(group)
            .help("A checkpoint is written after this many steps, and at the end."),
        Spec::integer(param::checkpoint::keep, 3)
            .atLeast(1)
            .nextIteration()
            .group(group)
            .help("How many of the newest checkpoints are kept."),
        Spec::integer(param::eval::every, evalEvery)
            .atLeast(0)
            .unit("steps")
            .nextIteration()
            .group(group)
            .help(samples ? "Held-out matrices are evaluated after this many steps; 0 only at the start and "
                            "the end."
                          : "Held-out texts are measured after this many steps; 0 only at the start and the "
                            "end."),
    };
    if (samples)
        all.add(Spec::integer(param::eval::samples, 4)
                    .range(0, 1024)
                    .unit("programs")
                    .nextIteration()
                    .group(group)
                    .help("Programs sampled for each held-out matrix at an evaluation; 0 samples none."));
    return all;
}

ParameterDeclarations sftParameters()
{
    ParameterDeclarations all = commonParameters();
    addTask(all);
    addPolicy(all, true);

    const std::string data = "SFT data";
    all.add(Spec::integer(param::sft::programsPerMatrix, 16)
                .range(1, 10000)
                .unit("programs")
                .group(data)
                .source("SparseRL 3.3")
                .help("Corpus programs judged for each training matrix; the correct ones are kept."));
    all.add(
        Spec::integer(param::sft::heldoutPrograms, 4)
            .range(1, 10000)
            .unit("programs")
            .group(data)
            .help("The same for each held-out matrix, for the held-out loss and the reward's statistics."));
    all.add(Spec::text(param::sft::families, "")
                .group(data)
                .help("Kernel families to draw from, separated by commas; empty: all of the corpus."));
    all.add(Spec::integer(param::sft::maxBytes, 0)
                .range(0, 65536)
                .unit("bytes")
                .group(data)
                .help("Longest program to draw; 0: any. A small policy samples some 250 tokens of about four "
                      "bytes."));
    all.add(Spec::real(param::sft::variety, 0.2)
                .range(0, 1)
                .group(data)
                .help("How far style, names and comments vary between programs."));
    all.add(Spec::real(param::sft::recommended, 0.75)
                .range(0, 1)
                .group(data)
                .help("Share of programs whose family suits the matrix by rules of thumb; the rest is drawn "
                      "at random."));
    all.add(
        Spec::choice(param::sft::draw, "in-turn", {"in-turn", "by-score"})
            .group(data)
            .help("How those are drawn: the best program of each suitable family in turn, so that all are "
                  "measured, or by their estimated scores."));
    all.add(Spec::choice(param::sft::weighting, "power", {"power", "z-score"})
                .group(data)
                .help("How the measured speed of a program decides how often it is shown for its matrix: "
                      "speed-up to the power of sft.speed_weight, or exp(sft.speed_weight * z) with z the "
                      "z-score of ln(speed-up)."));
    all.add(Spec::real(param::sft::speedWeight, 24)
                .range(0, 100)
                .group(data)
                .help("How much more often a fast program is shown; 0: all alike. With 24 one that is 3 % "
                      "slower is shown "
                      "half as often."));

    all.add(Spec::choice(param::sft::prompt, "never", {"never", "always", "fading"})
                .group(data)
                .source("SparseRL A.29; Table 20")
                .help("Whether the encoder also reads the task in words, behind the matrix: never, always "
                      "(then also wherever the policy is used), or for a share of the programs that falls to "
                      "none."));
    all.add(
        Spec::real(param::sft::promptUntil, 0.5)
            .above(0)
            .range(0, 1)
            .group(data)
            .source("SparseRL A.29; the course is ours")
            .help("With fading prompts, the part of the steps after which there are none: the share falls "
                  "linearly from 1."));

    const std::string group = "Optimisation";
    all.add(Spec::integer(param::sft::steps, 400)
                .range(1, 100000000)
                .unit("steps")
                .group(group)
                .help("Optimizer steps."));
    all.add(Spec::integer(param::sft::batch, 32)
                .range(1, 65536)
                .unit("programs")
                .group(group)
                .help("Programs in one step."));
    all.add(Spec::integer(param::sft::microBatch, 32)
                .range(1, 65536)
                .unit("programs")
                .group(group)
                .help("Programs in memory at once; does not change the gradient."));
    all.add(
        Spec::real(param::sft::lr, 2e-3).above(0).nextIteration().group(group).help("Peak learning rate."));
    all.add(Spec::choice(param::sft::schedule, "cosine", {"constant", "linear", "cosine"})
                .group(group)
                .help("Course of the learning rate after the warm-up."));
    all.add(Spec::integer(param::sft::warmup, 20)
                .atLeast(0)
                .unit("steps")
                .group(group)
                .help("Steps of linear warm-up."));
    all.add(Spec::real(param::sft::lrFloor, 0.05)
                .range(0, 1)
                .group(group)
                .help("Learning rate at the last step as a part of the peak."));
    all.add(Spec::real(param::sft::weightDecay, 0.01)
                .range(0, 10)
                .nextIteration()
                .group(group)
                .source("RFT-Kernels")
                .help("Decoupled weight decay on matrices."));
    all.add(Spec::real(param::sft::adamEps, 1e-8).above(0).group(group).help("Adam's epsilon."));
    all.add(
        Spec::real(param::sft::contrast, 0)
            .range(0, 100)
            .nextIteration()
            .group(group)
            .help("Weight of a second loss on a quarter of the programs: -ln sigmoid of ln p(program | its "
                  "matrix) less ln p(program | a matrix that its family is slow on), for each token of "
                  "them."));
    all.add(Spec::real(param::sft::contrastMargin, 0.1)
                .range(0, 100)
                .group(group)
                .help("How much slower, as a part, the family must be there than that matrix's best."));
    all.add(Spec::real(param::sft::gradClip, 1.0)
                .atLeast(0)
                .nextIteration()
                .group(group)
                .help("Largest global norm of the gradient; 0: no limit."));
    addAlarms(all, false);
    all.add(checkpointParameters(100, 100));
    return all;
}

void addRollout(ParameterDeclarations& all)
{
    const std::string group = "Rollout";
    all.add(Spec::integer(param::rl::iterations, 30)
                .range(0, 100000000)
                .unit("iterations")
                .group(group)
                .help("Iterations: sample, judge, update."));
    all.add(Spec::integer(param::rl::matrices, 8)
                .range(1, 65536)
                .unit("matrices")
                .nextIteration()
                .group(group)
                .help("Training matrices drawn for each iteration."));
    all.add(Spec::integer(param::rl::samples, 8)
                .range(1, 65536)
                .unit("programs")
                .nextIteration()
                .group(group)
                .source("TRL num_generations 8")
                .help("Programs sampled for each of them: the group of the group estimators."));
    all.add(Spec::real(param::rl::temperature, 1.0)
                .above(0)
                .nextIteration()
                .group(group)
                .source("reference: pure ancestral sampling")
                .help("Divides the logits in sampling and in every log-probability and entropy alike."));
    addRlDecoding(all);
    all.add(Spec::integer(param::rl::maxTokens, 0)
                .range(0, 65536)
                .unit("tokens")
                .nextIteration()
                .group(group)
                .help("Longest program, end-of-sequence included; 0: as the policy was made for."));
    all.add(Spec::boolean(param::rl::verifier, true)
                .nextIteration()
                .group(group)
                .source("SparseRL A.3")
                .help("Stop a sample as soon as it can no longer compile."));
    all.add(Spec::choice(param::reward::preset, "sparserl",
                         {"sparserl", "sparserl-literal", "coderl", "ppocoder", "rft-kernelbench",
                          "milestone", "hierarchical"})
                .group(group)
                .help("How a verdict becomes a reward."));
    all.add(Spec::integer(param::reward::statsSamples, 6)
                .range(2, 10000)
                .unit("programs")
                .group(group)
                .source("SparseRL A.4.2")
                .help("Corpus programs judged for the speed statistics of a matrix that the SFT stage has "
                      "not seen."));
    all.add(
        Spec::real(param::reward::rEff, RewardWeights().efficiency)
            .range(0, 10)
            .group(group)
            .source("SparseRL Eq. 8, Table 4")
            .help("Weight of speed, for sparserl and sparserl-literal; 0: correctness alone (Figure 5)."));
    all.add(Spec::real(param::reward::rPenalty, RewardWeights().penalty)
                .range(0, 0.5)
                .group(group)
                .source("SparseRL A.4, Table 5")
                .help("Taken off where a program uses more than 48 KiB of shared memory, for sparserl and "
                      "sparserl-literal."));
    all.add(Spec::real(param::reward::alpha, RewardWeights().correctness)
                .range(0, 1)
                .group(group)
                .source("SparseRL A.4.3")
                .help("Weight of correctness, speed has the rest; for sparserl-literal alone."));
    all.add(Spec::real(param::reward::truncated, 0.0)
                .range(-10, 0)
                .nextIteration()
                .group(group)
                .source("TRL missing_eos_penalty")
                .help("Added to the reward of a program cut off by the length limit."));
    all.add(
        Spec::integer(param::reward::overlongBuffer, 0)
            .range(0, 65536)
            .unit("tokens")
            .nextIteration()
            .group(group)
            .source("DAPO, soft overlong punishment")
            .help("Programs are punished for each of the last so many tokens before the limit; 0: none."));
    all.add(Spec::real(param::reward::overlongPenalty, 1.0)
                .range(0, 10)
                .nextIteration()
                .group(group)
                .source("verl overlong_buffer.penalty_factor")
                .help("That punishment at the limit."));
}

void addAlgorithm(ParameterDeclarations& all)
{
    const std::string group = "Algorithm";
    all.add(Spec::choice(
                param::rl::algorithm, "ppo",
                {"ppo", "grpo", "dr-grpo", "rloo", "reinforce++", "reinforce++-baseline", "self-critical"})
                .group(group)
                .source("SparseRL 3.4, 5.4")
                .help("How advantages are estimated; only ppo trains a critic."));
    all.add(Spec::real(param::rl::gamma, 1.0)
                .range(0, 1)
                .nextIteration()
                .group(group)
                .source("Schulman 2016")
                .help("Discount per token."));
    all.add(Spec::real(param::rl::lambda, 0.95)
                .range(0, 1)
                .nextIteration()
                .group(group)
                .source("CUDA Agent")
                .help("Decay of generalised advantage estimation."));
    all.add(Spec::real(param::rl::clipLow, 0.2)
                .range(0, 1)
                .nextIteration()
                .group(group)
                .source("PPO")
                .help("The probability ratio is clipped at 1 - this."));
    all.add(Spec::real(param::rl::clipHigh, 0.28)
                .range(0, 10)
                .nextIteration()
                .group(group)
                .source("DAPO; CUDA Agent")
                .help("The probability ratio is clipped at 1 + this."));
    all.add(Spec::real(param::rl::dualClip, 3.0)
                .range(0, 100)
                .nextIteration()
                .group(group)
                .source("Ye et al. 2020")
                .help("Bound of the loss for negative advantages, times the advantage; 0: off."));
    all.add(Spec::real(param::rl::entropyCoef, 0.01)
                .range(0, 10)
                .nextIteration()
                .group(group)
                .source("SparseRL A.9")
                .help("Weight of the entropy bonus."));
    all.add(Spec::real(param::rl::klCoef, 0.05)
                .range(0, 100)
                .nextIteration()
                .group(group)
                .source("TRL PPO")
                .help("Weight of the KL penalty to the SFT policy inside the reward; 0: none."));
    all.add(Spec::choice(param::rl::klEstimator, "k1", {"k1", "abs", "k2", "k3"})
                .nextIteration()
                .group(group)
                .help("Estimator of that penalty."));
    all.add(Spec::real(param::rl::klTarget, 0.0)
                .range(0, 1000)
                .group(group)
                .source("Ziegler 2019")
                .help("Target of the adaptive KL coefficient, per token; 0 keeps the coefficient fixed."));
    all.add(Spec::real(param::rl::klHorizon, 10000)
                .above(0)
                .unit("samples")
                .group(group)
                .help("Samples over which the adaptive coefficient moves."));
    all.add(Spec::real(param::rl::klLossCoef, 0.0)
                .range(0, 100)
                .nextIteration()
                .group(group)
                .source("GRPO's beta")
                .help("Weight of a KL term to the SFT policy inside the loss; 0: none."));
    all.add(Spec::choice(param::rl::klLossEstimator, "k3", {"k1", "abs", "k2", "k3"})
                .nextIteration()
                .group(group)
                .help("Estimator of that term."));
    all.add(Spec::boolean(param::rl::whiten, true)
                .nextIteration()
                .group(group)
                .help("Whiten advantages over all tokens of the batch (ppo and the reinforce++ family)."));
    all.add(
        Spec::choice(param::rl::aggregation, "token-mean",
                     {"token-mean", "seq-mean-token-sum", "seq-mean-token-mean", "seq-mean-token-sum-norm"})
            .nextIteration()
            .group(group)
            .source("DAPO; Dr.GRPO")
            .help("How token losses become one number; denominators are those of the whole minibatch."));
    all.add(Spec::boolean(param::rl::filterGroups, false)
                .nextIteration()
                .group(group)
                .source("DAPO, the filter of dynamic sampling alone")
                .help("Leave groups out whose rewards are all equal. rl.resample_rounds also samples others "
                      "in their place."));
    addRecipeKnobs(all);
}

void addUpdate(ParameterDeclarations& all)
{
    const std::string group = "Optimisation";
    all.add(Spec::integer(param::rl::epochs, 2)
                .range(1, 100)
                .nextIteration()
                .group(group)
                .help("Passes over the samples of an iteration."));
    all.add(Spec::integer(param::rl::minibatch, 32)
                .range(1, 65536)
                .unit("programs")
                .nextIteration()
                .group(group)
                .help("Programs in one optimizer step."));
    all.add(Spec::integer(param::rl::microBatch, 32)
                .range(1, 65536)
                .unit("programs")
                .nextIteration()
                .group(group)
                .help("Programs in memory at once; does not change the gradient."));
    all.add(Spec::real(param::rl::lr, 1e-4)
                .above(0)
                .nextIteration()
                .group(group)
                .source("SparseRL: Adam 1e-4")
                .help("Peak learning rate of the policy."));
    all.add(Spec::choice(param::rl::schedule, "constant", {"constant", "linear", "cosine"})
                .group(group)
                .help("Course of both learning rates over the iterations."));
    all.add(Spec::integer(param::rl::warmup, 0)
                .atLeast(0)
                .unit("iterations")
                .group(group)
                .help("Iterations of linear warm-up."));
    all.add(Spec::real(param::rl::lrFloor, 0.1)
                .range(0, 1)
                .group(group)
                .help("Both learning rates at the last iteration as a part of their peaks."));
    all.add(Spec::real(param::rl::adamEps, 1e-5)
                .above(0)
                .group(group)
                .source("OpenAI lm-human-preferences")
                .help("Adam's epsilon."));
    all.add(Spec::real(param::rl::weightDecay, 0.0)
                .range(0, 10)
                .nextIteration()
                .group(group)
                .help("Decoupled weight decay on matrices."));
    all.add(Spec::real(param::rl::gradClip, 1.0)
                .atLeast(0)
                .nextIteration()
                .group(group)
                .help("Largest global norm of the gradient; 0: no limit."));
    all.add(Spec::real(param::rl::klStop, 0.0)
                .atLeast(0)
                .nextIteration()
                .group(group)
                .source("Spinning Up target_kl")
                .help("End the epochs of an iteration once the KL from the sampling policy exceeds this, per "
                      "token; 0: never."));

    const std::string critic = "Critic";
    all.add(Spec::real(param::rl::criticLr, 3e-4)
                .above(0)
                .nextIteration()
                .group(critic)
                .help("Peak learning rate of the critic."));
    all.add(Spec::real(param::rl::valueClip, 0.2)
                .range(0, 100)
                .nextIteration()
                .group(critic)
                .source("TRL PPO")
                .help("Values move at most this far from those at sampling time in the clipped branch; 0: no "
                      "clipping."));
    all.add(Spec::integer(param::rl::valuePretrain, 1)
                .range(0, 100000)
                .unit("iterations")
                .group(critic)
                .source("CUDA Agent, value pretraining")
                .help("First iterations that train the critic only, the policy frozen."));
    all.add(Spec::real(param::rl::valueBar, 0.0)
                .range(0, 1)
                .group(critic)
                .source("CUDA Agent, value pretraining; the bar is ours")
                .help("The policy stays frozen after them until the critic explains this part of the "
                      "returns' variance, measured on samples it has not learned from; 0: no bar."));
    all.add(Spec::integer(param::rl::valueEpochs, 4)
                .range(1, 1000)
                .nextIteration()
                .group(critic)
                .help("Passes over the samples in those iterations."));
    all.add(Spec::boolean(param::rl::valueOnly, false)
                .group(critic)
                .source("CUDA Agent, value pretraining as a stage of its own")
                .help("The run is done once the critic has passed rl.value_bar (or after rl.iterations "
                      "without a bar); the policy stays as it is. Runs from its checkpoint begin with that "
                      "critic."));
    all.add(Spec::choice(param::rl::critic, "parent", {"parent", "new"})
                .group(critic)
                .help("Where the critic comes from: the checkpoint that the run starts from, if that has "
                      "one, else the policy's weights with a new head; or always the latter."));
}

ParameterDeclarations rlParameters()
{
    ParameterDeclarations all = commonParameters();
    addTask(all);
    addRollout(all);
    addAlgorithm(all);
    addUpdate(all);
    addAlarms(all, true);
    all.add(checkpointParameters(5, 5));
    return all;
}

ParameterDeclarations pretrainParameters()
{
    ParameterDeclarations all = commonParameters();
    addPolicy(all, false);
    addPretraining(all);
    addAlarms(all, false);
    all.add(checkpointParameters(100, 100, false));
    return all;
}

ParameterDeclarations rftParameters()
{
    ParameterDeclarations all = commonParameters();
    addTask(all);
    addRejectionFineTuning(all);
    const ParameterDeclarations rl = rlParameters();
    all.add(*rl.find(param::reward::preset.key));
    all.add(*rl.find(param::reward::statsSamples.key));
    addAlarms(all, false);
    all.add(checkpointParameters(50, 50));
    return all;
}

ParameterDeclarations evaluateParameters()
{
    ParameterDeclarations all = commonParameters();
    addTask(all);
    const std::string group = "Evaluation";
    all.add(Spec::integer(param::evaluate::samples, 20)
                .range(1, 100000)
                .unit("programs")
                .group(group)
                .source("SparseRL 4: pass@k")
                .help("Programs sampled for each matrix."));
    all.add(Spec::real(param::evaluate::budget, 0.0)
                .range(0, 1e9)
                .unit("s")
                .group(group)
                .source("SparseRL A.24: 3 minutes a matrix")
                .help("No further programs of a matrix are sampled after so many seconds of sampling and "
                      "judging it; 0: all of them, however long they take."));
    all.add(Spec::text(param::evaluate::k, "1,5,10")
                .group(group)
                .help("Values of k in pass@k, separated by commas; those above the number of samples are "
                      "left out."));
    all.add(Spec::choice(param::evaluate::split, "held-out", {"held-out", "train", "all"})
                .group(group)
                .help("Which matrices of the project."));
    all.add(
        Spec::choice(param::evaluate::order, "as-is", {"as-is", "longest-first", "cuthill-mckee", "shuffled"})
            .group(group)
            .source("SparseRL A.22")
            .help("Order of the matrices' rows and columns, changed before the policy sees them and for the "
                  "judge too. Shuffled: at random by the seed, to see whether the policy minds."));
    all.add(
        Spec::real(param::evaluate::temperature, 1.0).above(0).group(group).help("Sampling temperature."));
    all.add(
        Spec::text(param::evaluate::temperatures, "")
            .group(group)
            .help("Temperatures to choose from, separated by commas: the one with the highest mean reward "
                  "on the training matrices takes the place of evaluate.temperature. Empty: none."));
    addEvaluateDecoding(all);
    all.add(Spec::integer(param::evaluate::maxTokens, 0)
                .range(0, 65536)
                .unit("tokens")
                .group(group)
                .help("Longest program, end-of-sequence included; 0: as the policy was made for."));
    all.add(Spec::boolean(param::evaluate::verifier, true)
                .group(group)
                .source("SparseRL A.3")
                .help("Stop a sample as soon as it can no longer compile."));
    all.add(
        Spec::integer(param::evaluate::information, 4)
            .range(0, 1024)
            .unit("programs")
            .group(group)
            .help("Programs of each matrix, of 32 at most, whose probability under all of these matrices is "
                  "measured: does the policy read its matrix? 0: none."));
    all.add(Spec::boolean(param::evaluate::exchange, true)
                .group(group)
                .help("Also judge those programs on a matrix that they were not written for."));
    all.add(Spec::choice(param::reward::preset, "sparserl",
                         {"sparserl", "sparserl-literal", "coderl", "ppocoder", "rft-kernelbench",
                          "milestone", "hierarchical"})
                .group(group)
                .help("How a verdict becomes a reward."));
    all.add(Spec::integer(param::reward::statsSamples, 6)
                .range(0, 10000)
                .unit("programs")
                .group(group)
                .source("SparseRL A.4.2")
                .help("Corpus programs judged for the speed statistics of a matrix that the SFT stage has "
                      "not seen."));
    return all;
}

} // namespace

const std::vector<StageDescription>& stageDescriptions()
{
    static const std::vector<StageDescription> all{
        {StageKind::Pretrain, "pretrain", "pretraining", StageCharts::Texts, {}, StageKind::Sft},
        {StageKind::Sft, "sft", "supervised fine-tuning", StageCharts::Supervised, {}, StageKind::Rl},
        {StageKind::Rft, "rft", "rejection fine-tuning", StageCharts::Supervised,
         "Rejection fine-tuning learns from what a policy writes: choose the checkpoint it starts from. If "
         "there "
         "is none yet, run supervised fine-tuning first.",
         StageKind::Rl},
        {StageKind::Rl, "rl", "reinforcement learning", StageCharts::Reinforcement,
         "Reinforcement learning improves a policy: choose the checkpoint it starts from. If there is none "
         "yet, "
         "run supervised fine-tuning first.",
         StageKind::Evaluate},
        {StageKind::Evaluate, "evaluate", "evaluation", StageCharts::Totals,
         "An evaluation needs a policy: choose the checkpoint to evaluate.", StageKind::Rl},
    };
    return all;
}

const StageDescription& describe(StageKind kind)
{
    const auto& all = stageDescriptions();
    const auto at =
        std::find_if(all.begin(), all.end(), [&](const auto& stage) { return stage.kind == kind; });
    assert(at != all.end());
    return *at;
}

const StageDescription* findStage(std::string_view name)
{
    for (const auto& stage : stageDescriptions()) {
        if (stage.name == name)
            return &stage;
    }
    return nullptr;
}

std::string_view nameOf(StageKind kind)
{
    return describe(kind).name;
}

std::vector<StageKind> stageKinds()
{
    std::vector<StageKind> kinds;
    for (const auto& stage : stageDescriptions())
        kinds.push_back(stage.kind);
    return kinds;
}

Result<StageKind> stageKindFromName(std::string_view name)
{
    if (const auto* stage = findStage(name))
        return stage->kind;
    std::string known;
    for (const auto& stage : stageDescriptions()) {
        const bool last = &stage == &stageDescriptions().back();
        known += (known.empty() ? "" : last ? " or " : ", ") + std::string(stage.name);
    }
    return fail("There is no stage \"" + std::string(name) + "\"", "Use " + known);
}

const ParameterDeclarations& stageParameters(StageKind kind)
{
    static const ParameterDeclarations sft = sftParameters();
    static const ParameterDeclarations rl = rlParameters();
    static const ParameterDeclarations evaluate = evaluateParameters();
    static const ParameterDeclarations rft = rftParameters();
    static const ParameterDeclarations pretrain = pretrainParameters();
    switch (kind) {
    case StageKind::Pretrain:
        return pretrain;
    case StageKind::Sft:
        return sft;
    case StageKind::Rl:
        return rl;
    case StageKind::Evaluate:
        return evaluate;
    case StageKind::Rft:
        return rft;
    }
    return sft;
}

std::map<std::string, ParameterValue> runValues(const ParameterSet& parameters)
{
    std::map<std::string, ParameterValue> values;
    for (const auto& spec : parameters.declarations().specs())
        values[spec.key] = parameters.value(spec.key);
    return values;
}

namespace {

/// What a run does whose run.toml is older than a parameter, where that is not the parameter's default: runs
/// write down every parameter that they know.
std::map<std::string, ParameterValue> earlierBehaviour(StageKind kind)
{
    if (kind == StageKind::Rl)
        return {{std::string(param::rl::critic.key), std::string("new")}};
    if (kind != StageKind::Sft)
        return {};
    return {{std::string(param::sft::draw.key), std::string("by-score")},
            {std::string(param::sft::weighting.key), std::string("z-score")},
            {std::string(param::sft::recommended.key), 0.5},
            {std::string(param::sft::speedWeight.key), 0.5},
            {std::string(param::sft::contrast.key), 0.0}};
}

} // namespace

Result<ParameterSet> parametersFromRun(StageKind kind, const std::map<std::string, ParameterValue>& values)
{
    ParameterSet parameters(stageParameters(kind));
    for (const auto& [key, value] : earlierBehaviour(kind)) {
        SPARSERL_CHECK(parameters.set(key, value));
    }
    for (const auto& [key, value] : values) {
        SPARSERL_CHECK(parameters.set(key, value));
    }
    return parameters;
}

} // namespace sparserl
