// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_exact.h"
#include "evaluation/jobs.h"

/// Pieces of the messages between judge and runners that several kinds of job share.
namespace sparserl::job_json {

using Json = nlohmann::json;

/// Runs `read` on a message; what it throws becomes a protocol error.
template <typename T, typename Read>
Result<T> guarded(Read&& read)
{
    try {
        return read();
    } catch (const Json::exception& e) {
        return fail(std::string("a message of a runner cannot be read: ") + e.what());
    }
}

/// An enumerator from another process, or an exception.
template <typename Enum>
Enum readEnum(const Json& json, Enum last)
{
    const int value = jsonExact<int>(json);
    if (value < 0 || value > static_cast<int>(last))
        throw Json::out_of_range::create(401, "unknown enumerator " + std::to_string(value), &json);
    return static_cast<Enum>(value);
}

Json resourcesJson(const std::vector<KernelResources>& resources);
std::vector<KernelResources> readResources(const Json& list);
Json rangesJson(const std::vector<FloatRange>& ranges);
std::vector<FloatRange> readRanges(const Json& list);
/// Everything of a CaseAnswer; launches and lines as far as there are any.
Json answerJson(const CaseAnswer& answer);
CaseAnswer readAnswer(const Json& json);
Json faultJson(const Fault& fault);
Fault readFault(const Json& json);

} // namespace sparserl::job_json
