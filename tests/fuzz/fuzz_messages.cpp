// SPDX-License-Identifier: Apache-2.0
// What comes out of a runner, in which a model's program ran: bytes on the socket, then the messages
// themselves.
#include "base/json.h"
#include "evaluation/protocol/channel.h"
#include "evaluation/protocol/gpu_jobs.h"
#include "evaluation/protocol/jobs.h"
#include "fuzz.h"
#include "pieces.h"

#include <sys/socket.h>

namespace {

using namespace sparserl;
using fuzz::checkError;

/// Read, written, read: nothing changes.
template <typename Read>
void checkMessage(const nlohmann::json& json, Read&& read)
{
    const auto message = read(json);
    if (!message) {
        checkError(message.error());
        return;
    }
    const std::string written = dumpJson(toJson(*message));
    const auto parsed = parseJson(written);
    FUZZ_CHECK(parsed.has_value());
    const auto again = read(*parsed);
    FUZZ_CHECK(again.has_value() && dumpJson(toJson(*again)) == written);
}

void checkBody(const nlohmann::json& json)
{
    checkMessage(json, compileRequestFromJson);
    checkMessage(json, assembleRequestFromJson);
    checkMessage(json, simulationJobFromJson);
    checkMessage(json, caseAnswersFromJson);
    checkMessage(json, gpuJobFromJson);
    checkMessage(json, gpuAnswerFromJson);
    checkMessage(json, baselineJobFromJson);
    checkMessage(json, baselineAnswerFromJson);
    checkMessage(json, gpuInfoFromJson);
    if (const auto answer = compileAnswerFromJson(json); !answer) {
        checkError(answer.error());
    } else {
        const std::string written = dumpJson(toJson(*answer, true));
        const auto again = compileAnswerFromJson(*parseJson(written));
        FUZZ_CHECK(again.has_value() && dumpJson(toJson(*again, true)) == written);
    }
}

void checkStream(std::string_view bytes)
{
    auto ends = Channel::socketPair();
    FUZZ_CHECK(ends.has_value());
    FileDescriptor writer = std::move(ends->first);
    Channel channel(std::move(ends->second));
    for (fuzz::Pieces pieces(bytes); !pieces.atEnd();) {
        const std::string_view piece = pieces.next();
        FUZZ_CHECK(::send(writer.get(), piece.data(), piece.size(), 0) == static_cast<ssize_t>(piece.size()));
        const auto open = channel.readAvailable();
        if (!open) {
            checkError(open.error());
            return;
        }
        FUZZ_CHECK(*open);
        for (;;) {
            const auto message = channel.next();
            if (!message) {
                checkError(message.error());
                return;
            }
            if (!*message)
                break;
            FUZZ_CHECK((*message)->body.is_object() && (*message)->files.empty());
            checkBody((*message)->body);
        }
    }
    writer.reset();
    const auto open = channel.readAvailable();
    FUZZ_CHECK(open.has_value() && !*open);
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes = fuzz::textOf(data, size);
    if (!bytes.starts_with('{')) {
        checkStream(bytes);
        return 0;
    }
    if (const auto json = parseJson(bytes))
        checkBody(*json);
    return 0;
}
