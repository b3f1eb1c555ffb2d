// SPDX-License-Identifier: Apache-2.0
#include "training/parameters/parameter_groups.h"
#include "training/parameters/parameter_keys.h"

namespace sparserl {

using Spec = ParameterSpec;

void addSftData(ParameterDeclarations& all)
{
    const std::string data = "SFT data";
    all.add(Spec::integer(param::sft::programsPerMatrix, 16)
                .range(1, 10000)
                .unit("programs")
                .group(data)
                .source("SparseRL 3.3")
                .help("Number of corpus programs judged for each training matrix; the correct programs are "
                      "kept."));
    all.add(Spec::integer(param::sft::heldoutPrograms, 4)
                .range(1, 10000)
                .unit("programs")
                .group(data)
                .help("Number of corpus programs judged for each held-out matrix, for the held-out loss "
                      "and the reward's statistics."));
    all.add(Spec::text(param::sft::families, "")
                .group(data)
                .help("Kernel families from which programs are drawn, separated by commas; empty: all "
                      "families of the corpus."));
    all.add(Spec::boolean(param::sft::useChosen, true)
                .group(data)
                .help("Also train on the programs of the project's SFT set, for the training matrices on "
                      "which they were verified."));
    all.add(Spec::integer(param::sft::records, 0)
                .range(0, 1000)
                .unit("programs")
                .group(data)
                .help("Also train on this many of the fastest programs that the project's searches found "
                      "on each training matrix."));
    all.add(Spec::integer(param::sft::maxBytes, 0)
                .range(0, 65536)
                .unit("bytes")
                .group(data)
                .help("Length of the longest program to draw; 0: any length. A small policy samples about "
                      "250 tokens of about four bytes."));
    all.add(Spec::real(param::sft::variety, 0.2)
                .range(0, 1)
                .group(data)
                .help("Variety of style, names and comments among programs."));
    all.add(Spec::real(param::sft::recommended, 0.75)
                .range(0, 1)
                .group(data)
                .help("Share of the programs whose family is recommended for the matrix by rules of thumb; "
                      "the other programs are drawn at random."));
    all.add(Spec::choice(param::sft::draw, "in-turn", {"in-turn", "by-score"})
                .group(data)
                .help("How the recommended programs are drawn. in-turn: the best program of each suitable "
                      "family in turn, so that every such family is measured. by-score: at random, in "
                      "proportion to their estimated scores."));
    all.add(Spec::choice(param::sft::weighting, "power", {"power", "z-score"})
                .group(data)
                .help("How often a program is shown for its matrix, depending on its measured speed. power: "
                      "in proportion to its speed-up to the power of sft.speed_weight. z-score: in "
                      "proportion to exp(sft.speed_weight * z), where z is the z-score of ln(speed-up)."));
    all.add(Spec::real(param::sft::speedWeight, 24)
                .range(0, 100)
                .group(data)
                .help("How much more often a fast program is shown than a slow one; 0: all programs are "
                      "shown equally often. With 24, a program that is 3 % slower is shown half as often."));

    all.add(
        Spec::choice(param::sft::prompt, "never", {"never", "always", "fading"})
            .group(data)
            .source("SparseRL A.29; Table 20")
            .help("Whether the encoder also reads the task in words (the prompt), after the matrix. never: "
                  "it does not. always: it does, also wherever the policy is used later. fading: it does for "
                  "a share of the programs that falls to zero."));
    all.add(Spec::real(param::sft::promptUntil, 0.5)
                .above(0)
                .range(0, 1)
                .group(data)
                .source("SparseRL A.29; the linear decrease is ours")
                .help("With sft.prompt = fading: the share of the run's steps after which no program has a "
                      "prompt. Until then, the share of programs with a prompt falls linearly from 1."));
    all.add(Spec::real(param::sft::refine, 0)
                .range(0, 1)
                .group(data)
                .help("Share of the programs whose input, after the matrix, also shows a slower correct "
                      "program for the matrix, with its profile. A search can then ask the policy to "
                      "improve on its best programs. 0: none."));
}

void addSftOptimisation(ParameterDeclarations& all)
{
    const std::string group = "Optimisation";
    all.add(Spec::integer(param::sft::steps, 400)
                .range(1, 100000000)
                .unit("steps")
                .group(group)
                .help("Number of optimizer steps."));
    all.add(Spec::integer(param::sft::batch, 32)
                .range(1, 65536)
                .unit("programs")
                .group(group)
                .help("Number of programs in one step."));
    all.add(Spec::integer(param::sft::microBatch, 32)
                .range(1, 65536)
                .unit("programs")
                .group(group)
                .help("Number of programs in memory at once; it does not change the gradient."));
    all.add(
        Spec::real(param::sft::lr, 2e-3).above(0).nextIteration().group(group).help("Peak learning rate."));
    all.add(Spec::choice(param::sft::schedule, "cosine", {"constant", "linear", "cosine"})
                .group(group)
                .help("Schedule of the learning rate after the warm-up."));
    all.add(Spec::integer(param::sft::warmup, 20)
                .atLeast(0)
                .unit("steps")
                .group(group)
                .help("Number of steps of linear warm-up."));
    all.add(Spec::real(param::sft::lrFloor, 0.05)
                .range(0, 1)
                .group(group)
                .help("Learning rate at the last step, as a share of the peak."));
    all.add(Spec::real(param::sft::weightDecay, 0.01)
                .range(0, 10)
                .nextIteration()
                .group(group)
                .source("RFT-Kernels")
                .help("Decoupled weight decay on matrices."));
    all.add(Spec::real(param::sft::adamEps, 1e-8).above(0).group(group).help("Adam's epsilon."));
    all.add(Spec::real(param::sft::contrast, 0)
                .range(0, 100)
                .nextIteration()
                .group(group)
                .help("Weight of a second loss, which is computed per token on a quarter of the programs: "
                      "-ln sigmoid(ln p(program, its matrix) - ln p(program, another matrix, on which its "
                      "family is slow))."));
    all.add(Spec::real(param::sft::contrastMargin, 0.1)
                .range(0, 100)
                .group(group)
                .help("Share by which the program's family must be slower than the best family on the "
                      "other matrix."));
    all.add(Spec::real(param::sft::gradClip, 1.0)
                .atLeast(0)
                .nextIteration()
                .group(group)
                .help("Largest global norm of the gradient; 0: no limit."));
}

} // namespace sparserl
