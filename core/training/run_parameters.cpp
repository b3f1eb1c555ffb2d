// SPDX-License-Identifier: Apache-2.0
#include "training/parameter_groups.h"
#include "training/parameter_keys.h"

namespace sparserl {

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
        Spec::boolean(param::recompute, false)
            .group(group)
            .source("Activation checkpointing, Chen et al. 2016")
            .help("Learning keeps the input of each layer only and computes the rest again on the way back, "
                  "and "
                  "the last layer piece by piece: much less memory for large models, long programs and large "
                  "vocabularies, for about a third more time. Gradients stay what they are."),
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
        Spec::integer(param::judge::seed, 0)
            .atLeast(0)
            .group(group)
            .help("Secret that test matrices, inputs and schedules of every judged program derive from. 0: "
                  "one that nobody can foresee, drawn when the run is made and written into its run.toml."),
        Spec::choice(param::judge::sandbox, "none", {"none", "calls", "files", "full"})
            .group(group)
            .help(
                "How well the processes must be locked that run programs; the run does not start where they "
                "are locked less well. docs/sandbox.md says what each level holds."),
        Spec::real(param::system::every, 5.0)
            .range(0, 86400)
            .unit("s")
            .nextIteration()
            .group(group)
            .source("ours")
            .help("Processors, memory, disk and GPUs that the run takes are written down between two steps "
                  "after at least this time, as metrics system/*; 0: never."),
    };
}

void addTask(ParameterDeclarations& all)
{
    const std::string group = "Run";
    all.add(Spec::choice(param::task, "spmv", {"spmv", "spmm", "both"})
                .group(group)
                .source("SparseRL 3.1")
                .help("What programs compute: y = A x, or C = A B with a dense B of dense_columns columns. A "
                      "policy that was trained for one task writes programs of that task; with both, every "
                      "matrix is asked for each, and the prompt says for which (sft.prompt = always)."));
    all.add(Spec::integer(param::denseColumns, 8)
                .range(2, 1024)
                .unit("columns")
                .group(group)
                .source("SparseRL 4: 8 and 32")
                .help("Columns of B, for the tasks spmm and both."));
}

ParameterDeclarations checkpointParameters(std::int64_t every, std::int64_t evalEvery, bool samples)
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

} // namespace sparserl
