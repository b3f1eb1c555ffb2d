// SPDX-License-Identifier: Apache-2.0
// Policies and batches that the benchmarks of training share.
#pragma once

#include "base/rng.h"
#include "bench_matrix.h"
#include "policy/policy/policy.h"

#include <memory>
#include <string>
#include <vector>

namespace sparserl {

struct Shape
{
    const char* name;
    int dModel, dKv, dFf, encoder, decoder, heads;
};
constexpr Shape benchShapes[] = {{"quickstart", 128, 32, 384, 3, 3, 4}, {"15M", 384, 64, 1024, 4, 4, 6}};

inline Policy makePolicy(const Shape& shape)
{
    // A vocabulary of 1,000: any text of many different words will do.
    std::vector<std::string> texts;
    Rng rng(1);
    for (int i = 0; i < 400; ++i) {
        std::string text;
        for (int w = 0; w < 60; ++w)
            text += "name" + std::to_string(rng.below(900)) + " ";
        texts.push_back(std::move(text));
    }
    auto tokenizer = Tokenizer::train(texts, {});
    T5Config t5;
    t5.d_model = shape.dModel;
    t5.d_kv = shape.dKv;
    t5.d_ff = shape.dFf;
    t5.num_layers = shape.encoder;
    t5.num_decoder_layers = shape.decoder;
    t5.num_heads = shape.heads;
    return *Policy::create({}, t5, std::move(*tokenizer), 1);
}

/// `count` sequences over 8 matrices; unequal lengths where `uneven`.
inline SequenceBatch makeBatch(const Policy& policy, int count, int length, bool uneven,
                               std::uint64_t seed = 5)
{
    SequenceBatch batch;
    Rng rng(seed);
    for (int m = 0; m < 8; ++m)
        batch.inputs.push_back(
            {std::make_shared<MatrixTokens>(policy.matrixTokens(someMatrix(std::uint64_t(m)), 1)), {}});
    for (int b = 0; b < count; ++b) {
        batch.inputOf.push_back(b % 8);
        const int n = uneven ? length / 2 + int(rng.below(std::uint64_t(length / 2))) : length;
        std::vector<std::int32_t> target;
        for (int t = 0; t < n; ++t)
            target.push_back(std::int32_t(3 + rng.below(std::uint64_t(policy.tokenizer().vocabSize() - 3))));
        batch.targets.push_back(std::move(target));
    }
    return batch;
}

} // namespace sparserl
