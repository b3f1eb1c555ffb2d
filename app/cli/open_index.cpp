// SPDX-License-Identifier: Apache-2.0
#include "app/cli/open_index.h"

#include "base/beneath.h"
#include "base/lock.h"
#include "base/printable.h"
#include "base/time.h"
#include "base/trust.h"
#include "project/index/index.h"

namespace sparserl::cli {

namespace {

/// Brings the index up to date if nobody else is keeping it; else it is fresh anyway. The Error is why it
/// cannot be kept there.
Status refresh(const Context& context, const Project& project, IndexDepth depth,
               const std::filesystem::path& place)
{
    auto indexer = Indexer::open(project.path(), place);
    if (!indexer) {
        const auto lock = (place.empty() ? project.path() : place) / "index.lock";
        return FileLock::isLocked(lock) ? Status() : fail(indexer.error());
    }
    if (indexer->wasRebuilt()) {
        context.print(
            "warning: the index was damaged; it was moved aside (project.sqlite.broken-N) and rebuilt");
    }
    const double begin = monotonicSeconds();
    const auto progress = [&](double fraction, std::string_view phase) {
        if (monotonicSeconds() - begin > 1) { // usually there is little to read
            context.progress(fraction, std::string(phase));
        }
    };
    const auto update = depth == IndexDepth::Lists ? indexer->updateLists(context.cancel, progress)
                                                   : indexer->update(context.cancel, progress);
    context.endProgress();
    if (!update) {
        return fail(update.error());
    }
    for (const std::string& problem : update->problems) {
        context.print("warning: " + printableLine(problem));
    }
    return {};
}

} // namespace

Result<OpenIndex> openIndex(const Context& context, const Project& project, IndexDepth depth)
{
    OpenIndex index;
    const bool trusted = requireTrust(project.path()).has_value();
    if (trusted) {
        index.fresh = refresh(context, project, depth, {});
        auto reader = ProjectReader::open(project.path());
        if (reader || index.fresh || glance(project.path() / "project.sqlite").exists) {
            if (!reader) {
                return fail(index.fresh ? reader.error() : index.fresh.error()); // one sentence: the cause
            }
            index.reader.emplace(std::move(*reader));
            return index;
        }
    }
    SPARSERL_TRY(index.own, TempDir::create("sparserl-index"));
    const std::filesystem::path place = index.own->path() / "index"; // which FolderLock can lock
    index.fresh = refresh(context, project, depth, place);
    auto reader = ProjectReader::open(project.path(), place);
    if (!reader) {
        return fail(index.fresh ? reader.error() : index.fresh.error());
    }
    index.reader.emplace(std::move(*reader));
    return index;
}

} // namespace sparserl::cli
