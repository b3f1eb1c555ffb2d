// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/sampling/generation.h"

#include <cstddef>

namespace sparserl {

/// The functions that differ between a policy on this machine and the model of an endpoint.
struct ProgramWriter::Impl
{
    virtual ~Impl() = default;
    virtual std::size_t count() const = 0; ///< Programs per matrix.
    virtual double temperature() const = 0;
    virtual bool refines() const = 0;
    virtual Result<std::vector<GeneratedProgram>> write(const Target& target, const ProgramRange& range,
                                                        const CancelToken& cancel,
                                                        const WritingEvents& events) const = 0;
};

} // namespace sparserl
