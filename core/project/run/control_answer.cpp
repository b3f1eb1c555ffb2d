// SPDX-License-Identifier: Apache-2.0
#include "project/run/control_answer.h"

#include "base/beneath.h"
#include "project/files/file_handle.h"
#include "project/files/run_files.h"
#include "project/run/generation.h"

#include <algorithm>
#include <utility>

namespace sparserl {

ControlAnswers::ControlAnswers(std::filesystem::path run, JournalPosition position)
    : m_run(std::move(run))
    , m_position(position)
{
}

Result<ControlAnswers> ControlAnswers::fromNow(const std::filesystem::path& runDirectory)
{
    JournalPosition position{readGeneration(runDirectory), 0, {}};
    SPARSERL_TRY(const auto there, lookAt(runDirectory / journalFile));
    if (!there.exists)
        return ControlAnswers(runDirectory, position);
    SPARSERL_TRY(const auto file, FileHandle::openRead(runDirectory / journalFile));
    // Where its last whole line ends; without one in the last mebibyte, from the start.
    SPARSERL_TRY(const auto size, file.size());
    const std::int64_t count = std::min<std::int64_t>(size, 1 << 20);
    SPARSERL_TRY(const auto tail, file.read(size - count, count));
    if (const auto at = tail.rfind('\n'); at != std::string::npos)
        position.offset = size - count + static_cast<std::int64_t>(at) + 1;
    return ControlAnswers(runDirectory, position);
}

Result<std::vector<ControlEvent>> ControlAnswers::poll()
{
    std::vector<ControlEvent> events;
    for (;;) {
        SPARSERL_TRY(auto batch, readJournal(m_run, m_position));
        m_position = batch.next;
        for (JournalEntry& entry : batch.entries)
            if (auto* event = std::get_if<ControlEvent>(&entry.event))
                events.push_back(std::move(*event));
        if (batch.atEnd && !batch.rewound)
            return events;
    }
}

} // namespace sparserl
