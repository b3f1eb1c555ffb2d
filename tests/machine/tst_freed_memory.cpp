// SPDX-License-Identifier: Apache-2.0
#include "machine/freed_memory.h"

#include <QTest>

#include <cstdlib>
#include <sys/resource.h>
#include <unistd.h>

using namespace sparserl;

namespace {

constexpr std::size_t blockBytes = std::size_t(96) << 20;

/// Pages that the system had to clear while a block of 96 MB was taken, written and freed.
long clearedPages()
{
    rusage before{}, after{};
    ::getrusage(RUSAGE_SELF, &before);
    auto* block = static_cast<volatile char*>(std::malloc(blockBytes));
    if (!block)
        qFatal("no memory");
    const long page = ::sysconf(_SC_PAGESIZE);
    for (std::size_t at = 0; at < blockBytes; at += static_cast<std::size_t>(page))
        block[at] = 1;
    std::free(const_cast<char*>(block));
    ::getrusage(RUSAGE_SELF, &after);
    return after.ru_minflt - before.ru_minflt;
}

} // namespace

class TestFreedMemory : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void largeBlocksAreClearedOnce()
    {
        const long pages = static_cast<long>(blockBytes / static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
        clearedPages();
        QVERIFY(clearedPages() >= pages / 2); // as things are: the same block once more is cleared once more
        keepFreedMemory();
        clearedPages();
        for (int again = 0; again < 3; ++again)
            QVERIFY(clearedPages() < pages / 100);
    }
};

QTEST_GUILESS_MAIN(TestFreedMemory)
#include "tst_freed_memory.moc"
