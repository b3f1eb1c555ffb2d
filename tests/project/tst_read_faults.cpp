// SPDX-License-Identifier: Apache-2.0
// One passing fault of the machine at each single reading of a resume in turn: it is no damage.
#include "lives.h"
#include "tests/drawn_share.h"

#include <QTest>
#include <unistd.h>

using namespace fixture;
namespace fs = std::filesystem;

class TestReadFaults : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyReadOfAResume_data()
    {
        QTest::addColumn<QByteArray>("kind");
        for (const char* kind : {"read-eio", "read-enomem", "read-eagain", "read-eacces"})
            QTest::newRow(kind) << QByteArray(kind);
    }

    /// What this machine cannot read just now is no damage: no checkpoint moves, and without the fault the
    /// run goes on from where it was.
    void everyReadOfAResume()
    {
        QFETCH(QByteArray, kind);
        const bool inMemory = ::access("/dev/shm", W_OK) == 0;
        const auto dir = must(TempDir::create("faults", inMemory ? "/dev/shm" : ""));
        const fs::path calmRun = dir.path() / "calm/runs/r", begun = dir.path() / "begun";
        QVERIFY(live(calmRun, {}).status.ok());
        const auto calm = contentOf(calmRun);
        // Ended by force behind the checkpoint of step 4, with one journal that was rolled back.
        for (const int steps : {3, 5})
            QVERIFY(!live(begun / "runs/r", {{"SPARSERL_LIFE_ENDS", std::to_string(steps)}}).status.ok());
        const auto before = namesIn(begun / "runs/r/checkpoints");
        QVERIFY(before.contains("step-000004"));

        const sparserl::test::DrawnShare share(12);
        int reads = 0, tried = 0, refused = 0;
        for (bool reached = true; reached; ++reads) {
            // What comes after the last read says that it was the last.
            if (!share.has(kind.toStdString() + std::to_string(reads)))
                continue;
            ++tried;
            const fs::path root = dir.path() / "p", run = root / "runs/r", mark = dir.path() / "mark";
            fs::copy(begun, root, fs::copy_options::recursive);
            const auto faulty = live(run, {{"LD_PRELOAD", SPARSERL_FAULTS},
                                           {"SPARSERL_FAULT_ROOT", root.string()},
                                           {"SPARSERL_FAULT_KIND", kind.toStdString()},
                                           {"SPARSERL_FAULT_AT", std::to_string(reads + 1)},
                                           {"SPARSERL_FAULT_MARK", mark.string()},
                                           {"SPARSERL_LIFE_ENDS", "4"}});
            reached = fs::exists(mark);
            const std::string where = fmt::format("read {}: {}", reads + 1, faulty.error);
            QVERIFY2(!fs::exists(run / "checkpoints.set-aside"), where.c_str());
            QVERIFY2(namesIn(run / "checkpoints").contains("step-000004"), where.c_str());
            refused += faulty.error.find("cannot") != std::string::npos ? 1 : 0;
            const auto again = live(run, {});
            QVERIFY2(again.status.ok(), (where + again.error).c_str());
            QVERIFY2(contentOf(run) == calm, where.c_str());
            QVERIFY2(!fs::exists(run / "checkpoints.set-aside"), where.c_str());
            fs::remove_all(root);
            fs::remove(mark);
        }
        qInfo("%d of %d reads, %d ended with a sentence", tried - 1, reads - 1, refused);
        QVERIFY(reads > 30 && refused > 0 && (!share.everything() || refused > 10));
    }
};

QTEST_GUILESS_MAIN(TestReadFaults)
#include "tst_read_faults.moc"
