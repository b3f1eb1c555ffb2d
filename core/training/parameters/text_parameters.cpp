// SPDX-License-Identifier: Apache-2.0
#include "training/parameters/parameter_groups.h"

#include "training/parameters/parameter_keys.h"

namespace sparserl {

namespace {

using Spec = ParameterSpec;

} // namespace

void addViews(ParameterDeclarations& all, const std::string& group)
{
    all.add(Spec::integer(param::policy::views, 4)
                .range(1, 1024)
                .group(group)
                .help("Number of different samples of each matrix's non-zeros between which training "
                      "alternates."));
}

void addPolicy(ParameterDeclarations& all, bool readsMatrices)
{
    const std::string policy = "Policy";
    all.add(Spec::integer(param::policy::dModel, 128)
                .range(8, 8192)
                .unit("features")
                .group(policy)
                .help("Width of the model."));
    all.add(Spec::integer(param::policy::dKv, 32)
                .range(4, 1024)
                .unit("features")
                .group(policy)
                .help("Width of one attention head."));
    all.add(Spec::integer(param::policy::dFf, 384)
                .range(8, 65536)
                .unit("features")
                .group(policy)
                .help("Width inside the feed-forward layers."));
    all.add(Spec::integer(param::policy::encoderLayers, 2)
                .range(1, 96)
                .unit("layers")
                .group(policy)
                .help("Number of layers that read the matrix."));
    all.add(Spec::integer(param::policy::decoderLayers, 3)
                .range(1, 96)
                .unit("layers")
                .group(policy)
                .help("Number of layers that write the program."));
    all.add(Spec::integer(param::policy::heads, 4)
                .range(1, 128)
                .group(policy)
                .help("Number of attention heads of each layer."));
    all.add(Spec::choice(
                param::policy::embedding, "sinusoidal+structure",
                {"raw", "maxmin", "sinusoidal", "sinusoidal+structure", "quadtree", "quadtree-attention"})
                .group(policy)
                .source("SparseRL 3.2, Eq. 2; ablations Table 3; quad-trees A.8")
                .help("Matrix embedding that the encoder reads."));
    all.add(Spec::integer(param::policy::maxEntries, 64)
                .range(1, 65536)
                .unit("non-zeros")
                .group(policy)
                .source("SparseRL 3.2")
                .help("Maximum number of non-zeros that the encoder reads; larger matrices are sampled. "
                      "For a quad-tree: maximum number of its nodes or steps."));
    if (readsMatrices)
        addViews(all, policy);
    all.add(Spec::integer(param::policy::maxTokens, 250)
                .range(8, 65536)
                .unit("tokens")
                .group(policy)
                .help("Length of the longest program, including end-of-sequence."));
    all.add(Spec::integer(param::tokenizer::vocabulary, 1000)
                .range(260, 100000)
                .unit("tokens")
                .group(policy)
                .help("Size of the byte-pair vocabulary learned from the texts of the run."));
    all.add(Spec::choice(param::tokenizer::pieces, "code", {"code", "gpt2"})
                .group(policy)
                .help("Rule for the boundaries that merges may not cross: with \"code\", a token may span "
                      "several words of one line; with \"gpt2\", the rule is that of GPT-2."));
}

void addPretraining(ParameterDeclarations& all)
{
    const std::string data = "Texts to learn from", group = "Optimisation";
    all.add(Spec::integer(param::pretrain::texts, 4000)
                .range(1, 10000000)
                .unit("texts")
                .group(data)
                .help("Number of texts that our grammar generates: common CUDA idioms, and corpus kernels "
                      "without their plans. Equal texts count once."));
    all.add(Spec::real(param::pretrain::idioms, 0.5)
                .range(0, 1)
                .group(data)
                .source("SparseRL 3.1: general CUDA text; the shares are ours")
                .help("Share of these texts that are common CUDA idioms."));
    all.add(Spec::real(param::pretrain::variety, 0.6)
                .range(0, 1)
                .group(data)
                .help("Variety of style, names and comments in these texts."));
    all.add(Spec::text(param::pretrain::corpus, "")
                .group(data)
                .help("A file written by `sparserl corpus scan`, with your own texts; empty: none. The "
                      "run keeps a copy of the texts from which it learns."));
    all.add(Spec::real(param::pretrain::corpusShare, 0.5)
                .range(0, 1)
                .group(data)
                .help("Share of the texts shown in training that comes from the file of pretrain.corpus."));
    all.add(Spec::real(param::pretrain::heldout, 0.05)
                .range(0, 0.9)
                .group(data)
                .help("Share of the texts, selected by a hash of their code, that is used only to measure "
                      "the loss, not to learn."));
    all.add(Spec::integer(param::pretrain::steps, 400)
                .range(1, 100000000)
                .unit("steps")
                .group(group)
                .help("Number of optimizer steps."));
    all.add(Spec::integer(param::pretrain::batch, 32)
                .range(1, 65536)
                .unit("texts")
                .group(group)
                .help("Number of texts in one step. A text of more than policy.max_tokens tokens is split "
                      "into pieces, each of which counts as a text."));
    all.add(Spec::integer(param::pretrain::microBatch, 32)
                .range(1, 65536)
                .unit("texts")
                .group(group)
                .help("Number of texts in memory at once; it does not change the gradient."));
    all.add(Spec::real(param::pretrain::lr, 2e-3)
                .above(0)
                .nextIteration()
                .group(group)
                .help("Peak learning rate."));
    all.add(Spec::choice(param::pretrain::schedule, "cosine", {"constant", "linear", "cosine"})
                .group(group)
                .help("Schedule of the learning rate after the warm-up."));
    all.add(Spec::integer(param::pretrain::warmup, 20)
                .atLeast(0)
                .unit("steps")
                .group(group)
                .help("Number of steps of linear warm-up."));
    all.add(Spec::real(param::pretrain::lrFloor, 0.05)
                .range(0, 1)
                .group(group)
                .help("Learning rate at the last step, as a share of the peak."));
    all.add(Spec::real(param::pretrain::weightDecay, 0.01)
                .range(0, 10)
                .nextIteration()
                .group(group)
                .help("Decoupled weight decay on matrices."));
    all.add(Spec::real(param::pretrain::adamEps, 1e-8).above(0).group(group).help("Adam's epsilon."));
    all.add(Spec::real(param::pretrain::gradClip, 1.0)
                .atLeast(0)
                .nextIteration()
                .group(group)
                .help("Largest global norm of the gradient; 0: no limit."));
}

} // namespace sparserl
