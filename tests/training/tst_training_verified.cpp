// SPDX-License-Identifier: Apache-2.0
// Decoding with the incremental verifier looking on: what it stops in a sample, no beam begins with.
#include "kernel/verifier.h"
#include "tests/training/tiny_policy.h"
#include "training/sampling/verified_sampling.h"

#include <QTest>

using namespace sparserl;

class TestVerified : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void beamsGoOnOnlyWhereTheVerifierDoes()
    {
        const Policy policy = test::tinyPolicy(3, 12);
        const std::vector<ModelInput> inputs{policy.inputWithoutMatrix()};
        const std::vector<SampleRequest> requests(6, SampleRequest{0, 1});
        const auto texts = [&](bool verifier) {
            VerifiedSampling sampling;
            sampling.options.maxTokens = 12;
            sampling.verifier = verifier;
            sampling.beam = 6;
            std::vector<std::string> written;
            for (const Sample& sample : sampleVerified(policy, inputs, requests, sampling)) {
                std::string text;
                for (const std::int32_t token : sample.tokens)
                    text += policy.tokenizer().bytes(token);
                written.push_back(text);
            }
            return written;
        };
        const auto passes = [](const std::string& text) { return !IncrementalVerifier().feed(text); };
        // A policy that has learned nothing writes noise, which no verifier lets pass for long.
        const auto free = texts(false), watched = texts(true);
        QVERIFY(
            std::any_of(free.begin(), free.end(), [&](const std::string& text) { return !passes(text); }));
        QVERIFY(std::all_of(watched.begin(), watched.end(), passes));
        QVERIFY(std::any_of(watched.begin(), watched.end(),
                            [](const std::string& text) { return !text.empty(); }));
    }

    void samplesAreStoppedWithTheLineAndTheReason()
    {
        const Policy policy = test::tinyPolicy(3, 60);
        const std::vector<ModelInput> inputs{policy.inputWithoutMatrix()};
        std::vector<SampleRequest> requests;
        for (std::uint64_t seed = 0; seed < 8; ++seed)
            requests.push_back({0, seed});
        VerifiedSampling sampling;
        sampling.options.maxTokens = 60;
        const auto samples = sampleVerified(policy, inputs, requests, sampling);
        int stopped = 0;
        for (const Sample& sample : samples) {
            if (!sample.stopped)
                continue;
            ++stopped;
            QVERIFY2(sample.stopReason.starts_with("line "), sample.stopReason.c_str());
            std::string text;
            for (const std::int32_t token : sample.tokens)
                text += policy.tokenizer().bytes(token);
            QVERIFY(IncrementalVerifier().feed(text).has_value());
        }
        QVERIFY(stopped > 0);
    }
};

QTEST_GUILESS_MAIN(TestVerified)
#include "tst_training_verified.moc"
