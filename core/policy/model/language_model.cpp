// SPDX-License-Identifier: Apache-2.0
#include "policy/model/language_model.h"

namespace sparserl {

std::unique_ptr<JointStepper> LanguageModel::jointStepper(const std::shared_ptr<const ReadInputs>& /*inputs*/,
                                                          const std::vector<int>& /*inputOf*/,
                                                          std::int64_t /*maxTokens*/) const
{
    TORCH_CHECK(false, "this model does not step jointly");
}

double LanguageModel::bytesOfSequence(const ReadInputs& /*inputs*/, int /*maxTokens*/) const
{
    TORCH_CHECK(false, "this model does not step jointly");
}

std::int64_t countOf(const NamedTensors& parameters)
{
    std::int64_t count = 0;
    for (const auto& [name, tensor] : parameters)
        count += tensor.numel();
    return count;
}

} // namespace sparserl
