// SPDX-License-Identifier: Apache-2.0
// Every prefix of ten thousand programs of the corpus.
#include "base/rng.h"
#include "corpus/corpus.h"
#include "kernel/verifier.h"

#include <QTest>
#include <array>
#include <map>
#include <set>

using namespace sparserl;

class TestVerifierCorpus : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyPrefixPasses()
    {
        constexpr int programs = 10000;
        Rng rng(5);
        std::set<std::string> families;
        int full = 0;
        for (int i = 0; i < programs; ++i) {
            SampleOptions options;
            options.variety = (i % 5) / 4.0;
            const auto program = sampleProgram(i % 2 ? Task::SpMM : Task::SpMV, options, rng);
            QVERIFY(program);
            families.insert(program->family);
            // Whatever is stopped stays stopped: byte by byte is every prefix.
            IncrementalVerifier verifier;
            for (const char& byte : program->text) {
                const auto stop = verifier.feed({&byte, 1});
                QVERIFY2(!stop, stop ? (stop->reason + "\n" + program->text).c_str() : "");
            }
            full += verifier.mode() == IncrementalVerifier::Mode::Full;
            const auto stop = verifier.finish();
            QVERIFY2(!stop, stop ? (stop->reason + "\n" + program->text).c_str() : "");
        }
        QVERIFY(families.size() >= 30);
        QCOMPARE(full, programs); // None was accepted because it was not read.
    }
};

QTEST_GUILESS_MAIN(TestVerifierCorpus)
#include "tst_verifier_corpus.moc"
