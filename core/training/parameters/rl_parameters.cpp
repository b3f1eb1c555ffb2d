// SPDX-License-Identifier: Apache-2.0
#include "training/parameters/parameter_groups.h"
#include "training/parameters/parameter_keys.h"

namespace sparserl {

using Spec = ParameterSpec;

void addRollout(ParameterDeclarations& all)
{
    const std::string group = "Rollout";
    all.add(Spec::integer(param::rl::iterations, 30)
                .range(0, 100000000)
                .unit("iterations")
                .group(group)
                .help("Number of iterations. Each iteration samples programs, judges them and updates the "
                      "policy."));
    all.add(Spec::integer(param::rl::matrices, 8)
                .range(1, 65536)
                .unit("matrices")
                .nextIteration()
                .group(group)
                .help("Number of training matrices drawn for each iteration."));
    all.add(Spec::integer(param::rl::samples, 8)
                .range(1, 65536)
                .unit("programs")
                .nextIteration()
                .group(group)
                .source("TRL num_generations 8")
                .help("Number of programs sampled for each of these matrices. They form the group that "
                      "group estimators compare."));
    all.add(Spec::real(param::rl::temperature, 1.0)
                .above(0)
                .nextIteration()
                .group(group)
                .source("reference: pure ancestral sampling")
                .help("Number by which the logits are divided, in sampling and in every log-probability "
                      "and entropy."));
    addRlDecoding(all);
    all.add(Spec::integer(param::rl::maxTokens, 0)
                .range(0, 65536)
                .unit("tokens")
                .nextIteration()
                .group(group)
                .help("Length of the longest program, including end-of-sequence; 0: the policy's own "
                      "limit."));
    all.add(Spec::boolean(param::rl::verifier, true)
                .nextIteration()
                .group(group)
                .source("SparseRL A.3")
                .help("Stop a sample as soon as it can no longer compile."));
    all.add(
        Spec::real(param::rl::refine, 0)
            .range(0, 1)
            .group(group)
            .help("Share of the groups whose input, after the matrix, also shows the fastest program that "
                  "the run has written for the matrix, with its profile. 0: none."));
    all.add(Spec::boolean(param::rl::judgeAhead, false)
                .group(group)
                .help("Judge the programs of the next iteration while the policy learns from the current "
                      "iteration. The programs are one update behind the policy, and losses are corrected "
                      "for this (rl.behaviour_cap). This is possible only with one process, and not with a "
                      "judge that measures on the policy's GPU."));
    all.add(Spec::choice(param::rl::sampler, "own", {"own", "endpoint"})
                .group(group)
                .help("Who draws the programs of an iteration: this process, or the server of rl.endpoint, "
                      "which gets the weights after each update. Evaluations are always drawn here."));
    all.add(Spec::text(param::rl::endpoint, "")
                .group(group)
                .help("With rl.sampler = endpoint: the name of one of the user's endpoints (`sparserl "
                      "endpoint list`), such as a `sparserl serve` of the same policy."));
    all.add(Spec::real(param::rl::samplerMismatch, 0.1)
                .above(0)
                .nextIteration()
                .group(group)
                .help("With rl.sampler = endpoint: mean difference per token between the log-probabilities "
                      "of the server and of training above which an iteration fails, because the server "
                      "seems to have other weights."));
    all.add(Spec::real(param::rl::measuredShare, 1.0)
                .range(0, 1)
                .group(group)
                .source("SparseRL A.16.1 tries 0.5")
                .help("Minimum share of correct programs whose time is measured; 1: all. A model that learns "
                      "from the run's measurements predicts the times of the other programs; a predicted "
                      "time is used only for the reward. All programs are checked."));
    all.add(Spec::integer(param::rl::matrixClusters, 0)
                .range(0, 100000)
                .unit("clusters")
                .group(group)
                .source("SparseRL A.16.1 tries 35 for 700 matrices")
                .help("Divide the training matrices into this many groups of similar matrices. For "
                      "rewards, the speed-up of a program on one matrix may then be used for all matrices "
                      "of its group. 0: no groups."));
    all.add(Spec::real(param::rl::clusterShare, 0.6)
                .range(0, 1)
                .group(group)
                .source("SparseRL A.16.1")
                .help("Share of the programs with a known speed-up on a similar matrix that are measured "
                      "anyway."));
    addRewards(all, group, 2, true);
    all.add(Spec::real(param::reward::truncated, 0.0)
                .range(-10, 0)
                .nextIteration()
                .group(group)
                .source("TRL missing_eos_penalty")
                .help("Number that is added to the reward of a program that was cut off by the length "
                      "limit."));
    all.add(Spec::integer(param::reward::overlongBuffer, 0)
                .range(0, 65536)
                .unit("tokens")
                .nextIteration()
                .group(group)
                .source("DAPO, soft overlong punishment")
                .help("Number of tokens before the length limit in which a program is penalised for each "
                      "token that it writes; 0: no penalty."));
    all.add(Spec::real(param::reward::overlongPenalty, 1.0)
                .range(0, 10)
                .nextIteration()
                .group(group)
                .source("verl overlong_buffer.penalty_factor")
                .help("Penalty for a program that reaches the length limit, if reward.overlong_buffer is "
                      "not 0."));
}

void addAlgorithm(ParameterDeclarations& all)
{
    const std::string group = "Algorithm";
    all.add(Spec::choice(param::rl::algorithm, "ppo",
                         {"ppo", "grpo", "dr-grpo", "rloo", "reinforce++", "reinforce++-baseline",
                          "self-critical", "max-at-k"})
                .group(group)
                .source("SparseRL 3.4, 5.4")
                .help("How advantages are estimated; only ppo trains a critic."));
    all.add(Spec::integer(param::rl::maxK, 4)
                .range(2, 65536)
                .unit("programs")
                .nextIteration()
                .group(group)
                .source("PKPO (Walder and Karkhanis 2025)")
                .help("With max-at-k: the number k of programs that are compared. A program is rewarded "
                      "for improving on the best of the other programs."));
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
    all.add(Spec::choice(param::rl::policyLoss, "clipped", {"clipped", "cispo"})
                .nextIteration()
                .group(group)
                .source("PPO; MiniMax-M1 eq. 4 and 5")
                .help("clipped: a token whose probability ratio is beyond the clip has no gradient. cispo: "
                      "the weight of such a token is clipped, and the token still contributes to learning."));
    all.add(Spec::choice(param::rl::ratio, "token", {"token", "sequence"})
                .nextIteration()
                .group(group)
                .source("PPO; GSPO 4.1 and 4.3")
                .help("token: one probability ratio per token. sequence: one ratio per program, the "
                      "geometric mean of its tokens' ratios; in this case, set the clips to a few "
                      "ten-thousandths."));
    all.add(Spec::real(param::rl::clipLow, 0.2)
                .range(0, 1)
                .nextIteration()
                .group(group)
                .source("PPO")
                .help("The probability ratio is clipped below 1 minus this value."));
    all.add(Spec::real(param::rl::clipHigh, 0.28)
                .range(0, 10)
                .nextIteration()
                .group(group)
                .source("DAPO; CUDA Agent")
                .help("The probability ratio is clipped above 1 plus this value."));
    all.add(Spec::real(param::rl::dualClip, 3.0)
                .range(0, 100)
                .nextIteration()
                .group(group)
                .source("Ye et al. 2020")
                .help("Upper bound of the loss for a negative advantage, as a multiple of the advantage; "
                      "0: no bound."));
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
                .help("Weight of the KL penalty in the reward. The divergence is measured against "
                      "rl.kl_reference. 0: no penalty."));
    all.add(Spec::choice(param::rl::klEstimator, "k1", {"k1", "abs", "k2", "k3"})
                .nextIteration()
                .group(group)
                .help("Estimator of the KL divergence in the reward's KL penalty."));
    all.add(Spec::text(param::rl::klReference, "parent")
                .group(group)
                .help("Policy against which the KL divergence is measured: parent, the policy from which the "
                      "run starts; sft, the nearest ancestor of that policy that was not made by "
                      "reinforcement learning; or the path of a checkpoint."));
    all.add(Spec::real(param::rl::klTarget, 0.0)
                .range(0, 1000)
                .group(group)
                .source("Ziegler 2019")
                .help("Target of the adaptive KL coefficient, per token; 0 keeps the coefficient fixed."));
    all.add(Spec::real(param::rl::klHorizon, 10000)
                .above(0)
                .unit("samples")
                .group(group)
                .help("Number of samples over which the adaptive KL coefficient changes."));
    all.add(Spec::real(param::rl::klLossCoef, 0.0)
                .range(0, 100)
                .nextIteration()
                .group(group)
                .source("GRPO's beta")
                .help("Weight of a KL term in the loss. The divergence is measured against "
                      "rl.kl_reference. 0: no such term."));
    all.add(Spec::choice(param::rl::klLossEstimator, "k3", {"k1", "abs", "k2", "k3"})
                .nextIteration()
                .group(group)
                .help("Estimator of the KL divergence in the KL term of the loss."));
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
                .help("Leave out groups whose rewards are all equal. With rl.resample_rounds, other "
                      "groups are sampled in their place."));
    addRecipeKnobs(all);
}

void addUpdate(ParameterDeclarations& all)
{
    const std::string group = "Optimisation";
    all.add(Spec::integer(param::rl::epochs, 2)
                .range(1, 100)
                .nextIteration()
                .group(group)
                .help("Number of passes over the samples of an iteration."));
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
                .help("Number of programs in memory at once; it does not change the gradient."));
    all.add(Spec::real(param::rl::lr, 1e-4)
                .above(0)
                .nextIteration()
                .group(group)
                .source("SparseRL: Adam 1e-4")
                .help("Peak learning rate of the policy."));
    all.add(Spec::choice(param::rl::schedule, "constant", {"constant", "linear", "cosine"})
                .group(group)
                .help("Schedule of both learning rates over the iterations."));
    all.add(Spec::integer(param::rl::warmup, 0)
                .atLeast(0)
                .unit("iterations")
                .group(group)
                .help("Number of iterations of linear warm-up."));
    all.add(Spec::real(param::rl::lrFloor, 0.1)
                .range(0, 1)
                .group(group)
                .help("Both learning rates in the last iteration, as a share of their peaks."));
    all.add(Spec::real(param::rl::adamEps, 1e-5)
                .above(0)
                .group(group)
                .source("OpenAI lm-human-preferences")
                .help("Adam's epsilon."));
    all.add(Spec::real(param::rl::weightDecay, 0.0)
                .range(0, 10)
                .nextIteration()
                .group(group)
                .help("Decoupled weight decay, applied to weight matrices only."));
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
                .help("End the epochs of an iteration once the KL divergence per token from the sampling "
                      "policy exceeds this; 0: never."));
}

void addCritic(ParameterDeclarations& all)
{
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
                .help("In the clipped term of the critic's loss, values differ by at most this from the "
                      "values at sampling time; 0: no clipping."));
    all.add(Spec::integer(param::rl::valuePretrain, 1)
                .range(0, 100000)
                .unit("iterations")
                .group(critic)
                .source("CUDA Agent, value pretraining")
                .help("Number of iterations at the start of the run that train only the critic, with the "
                      "policy frozen."));
    all.add(
        Spec::real(param::rl::valueBar, 0.0)
            .range(0, 1)
            .group(critic)
            .source("CUDA Agent, value pretraining; the bar is ours")
            .help("After the iterations of rl.value_pretrain, the policy stays frozen until the critic "
                  "explains this share of the returns' variance, measured on samples from which it has not "
                  "learned; 0: no bar."));
    all.add(Spec::integer(param::rl::valueEpochs, 4)
                .range(1, 1000)
                .nextIteration()
                .group(critic)
                .help("Number of passes over the samples of an iteration in which the policy is frozen."));
    all.add(Spec::boolean(param::rl::valueOnly, false)
                .group(critic)
                .source("CUDA Agent, value pretraining as a stage of its own")
                .help("End the run once the critic has passed rl.value_bar (without a bar: after "
                      "rl.iterations), with the policy unchanged. Runs that start from the checkpoint of "
                      "this run start with its critic."));
    all.add(Spec::choice(param::rl::critic, "parent", {"parent", "new"})
                .group(critic)
                .help("Origin of the critic. parent: the critic of the checkpoint from which the run starts "
                      "or, if there is none, the policy's weights with a new head. new: always the policy's "
                      "weights with a new head."));
}

} // namespace sparserl
