// SPDX-License-Identifier: Apache-2.0
// Records and events of a journal: every member is written, read and comes back, whatever its value.
#include "base/json.h"
#include "tests/base/record_checks.h"
#include "verdict/event_fields.h"
#include "verdict/record_fields.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace sparserl;

namespace sparserl {

/// Also one of a newer version.
void special(VerdictFlags& flags, tests::Random& random)
{
    flags = random() % 2 ? VerdictFlags{VerdictFlag::Copied, VerdictFlag::Suspicious}
                         : VerdictFlags(std::vector<std::string>{"of-tomorrow"});
}

namespace tests {
template <>
constexpr int enumerators<Verdict> = static_cast<int>(Verdict::Correct) + 1;
template <>
constexpr int enumerators<TargetKind> = static_cast<int>(TargetKind::Operator) + 1;
template <>
constexpr int enumerators<ElementType> = static_cast<int>(ElementType::Bool) + 1;
template <>
constexpr int enumerators<RunState> = static_cast<int>(RunState::Failed) + 1;
} // namespace tests

} // namespace sparserl

namespace {

/// As the journal's reader sees it.
template <typename E>
std::string eventRoundTrips()
{
    return tests::roundTrips<E>([](const E& event) -> std::optional<E> {
        const auto entry =
            journalEntryFromJson(tests::throughText(toJson(JournalEntry{7, 1, 2.5, 3, event})));
        if (!entry || entry->seq != 7 || !std::holds_alternative<E>(entry->event))
            return std::nullopt;
        return std::get<E>(entry->event);
    });
}

/// Each field replaced by nonsense keeps its default, and the others what they had.
template <typename E>
std::string eventsAreReadAsFarAsTheyGo()
{
    tests::Filler filler(11, false);
    E event{};
    filler.record(event);
    const auto json = toJson(JournalEntry{0, 0, 0, 0, event});
    const E empty{};
    const auto keys = tests::keysOf(event).keys;
    for (const auto& key : keys) {
        auto damaged = json;
        damaged[key] = {{"x", nlohmann::json::array({"y"})}};
        const auto read = journalEntryFromJson(damaged);
        if (!read && (key == "target_kind" || key == "element_type" || key == "value_digest"))
            continue; // what is not known there makes another target of it
        if (!read)
            return key == "state" ? std::string() : key + " ends the reading";
        auto mended = toJson(*read), expected = json;
        const auto plain = toJson(JournalEntry{0, 0, 0, 0, empty});
        if (!expected.contains(key))
            continue;
        expected.erase(key);
        mended.erase(key);
        if (mended != expected)
            return key + " changes other fields";
    }
    return {};
}

} // namespace

class TestRecords : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyMemberIsDescribed()
    {
        constexpr std::size_t ofTarget = 5;               // beside the one that the member itself would be
        COMPLAINT(tests::describedWhole<TargetId>(0, 2)); // the variant's are three
        COMPLAINT(tests::describedWhole<VerdictRecord>(0, ofTarget));
        COMPLAINT(tests::describedWhole<Timing>());
        COMPLAINT(tests::describedWhole<WrongElement>());
        COMPLAINT(tests::describedWhole<LineCounters>());
        COMPLAINT(tests::describedWhole<StateEvent>());
        COMPLAINT(tests::describedWhole<MetricEvent>());
        COMPLAINT(tests::describedWhole<SampleEvent>(0, ofTarget));
        COMPLAINT(tests::describedWhole<ProposalOrigin>());
        COMPLAINT(tests::describedWhole<ProposalEdit>());
        COMPLAINT(tests::describedWhole<EvaluationEvent>(0, ofTarget));
        COMPLAINT(tests::describedWhole<ControlEvent>());
        COMPLAINT(tests::describedWhole<CheckpointEvent>());
        COMPLAINT(tests::describedWhole<LogEvent>());
    }

    void recordsRoundTrip()
    {
        COMPLAINT(tests::roundTrips<VerdictRecord>([](const VerdictRecord& record) {
            const auto read = verdictRecordFromJson(tests::throughText(toJson(record)));
            return read ? std::optional(*read) : std::nullopt;
        }));
    }

    void eventsRoundTrip()
    {
        COMPLAINT(eventRoundTrips<StateEvent>());
        COMPLAINT(eventRoundTrips<MetricEvent>());
        COMPLAINT(eventRoundTrips<SampleEvent>());
        COMPLAINT(eventRoundTrips<EvaluationEvent>());
        COMPLAINT(eventRoundTrips<ControlEvent>());
        COMPLAINT(eventRoundTrips<CheckpointEvent>());
        COMPLAINT(eventRoundTrips<LogEvent>());
    }

    void eventsAreReadAsFarAsPossible()
    {
        COMPLAINT(eventsAreReadAsFarAsTheyGo<StateEvent>());
        COMPLAINT(eventsAreReadAsFarAsTheyGo<MetricEvent>());
        COMPLAINT(eventsAreReadAsFarAsTheyGo<SampleEvent>());
        COMPLAINT(eventsAreReadAsFarAsTheyGo<EvaluationEvent>());
        COMPLAINT(eventsAreReadAsFarAsTheyGo<ControlEvent>());
        COMPLAINT(eventsAreReadAsFarAsTheyGo<LogEvent>());
        // A number that is none is left out of a list of numbers; null is what NaN was before it had a name.
        const auto read = journalEntryFromJson(
            *parseJson(R"({"seq":1,"kind":"metric","values":{"a":1,"b":"x","c":null,"d":"-inf"}})"));
        QVERIFY(read.has_value());
        const auto& values = std::get<MetricEvent>(read->event).values;
        QCOMPARE(values.size(), std::size_t{3});
        QVERIFY(values.at("a") == 1 && std::isnan(values.at("c")) && values.at("d") == -INFINITY);
    }

    // Hand-written, so that keys and forms of old files stay what they are.
    void aRecordHasTheKeysOfItsFiles()
    {
        VerdictRecord r;
        r.programHash = "p";
        r.verdict = Verdict::WrongResult;
        r.flags = {VerdictFlag::SlowerThanBaseline};
        r.block = {{1, 2, 3}};
        r.wrong = WrongElement{4, 5, NAN, -INFINITY, 0.5};
        r.warm = Timing{2, 1, 3, 30};
        r.baselineMicroseconds = 8;
        r.lines.resize(1);
        r.lines[0].line = 6;
        r.lines[0].divergentBranches = 7;
        const auto expected = *parseJson(
            "{\"program\":\"p\",\"ptx\":\"\",\"matrix\":\"\",\"matrix_name\":\"\",\"task\":\"spmv\",\"dense_"
            "columns\":1,"
            "\"device\":\"\",\"simulated\":true,\"verdict\":\"wrong-result\",\"flags\":[\"slower-than-"
            "baseline\"],"
            "\"block\":[1,2,3],\"wrong\":{\"row\":4,\"column\":5,\"expected\":\"nan\",\"got\":\"-inf\","
            "\"bound\":0.5},"
            "\"registers\":0,\"static_shared\":0,\"dynamic_shared\":0,\"local_bytes\":0,\"occupancy\":0.0,"
            "\"warm\":{\"median\":2.0,\"q25\":1.0,\"q75\":3.0,\"n\":30},\"setup_us\":0.0,\"baseline_us\":8.0,"
            "\"speedup\":4.0,\"compulsory_bytes\":0,\"share_of_limit\":0.0,\"seed\":0,\"protocol\":2,\"judge_"
            "seconds\":0.0,"
            "\"lines\":{\"columns\":[\"line\",\"warp_instructions\",\"thread_instructions\",\"global_"
            "sectors\",\"l1_hits\","
            "\"l2_hits\",\"dram_sectors\",\"bank_conflicts\",\"atomics\",\"divergent_branches\"],"
            "\"rows\":[[6,0,0,0,0,0,0,0,0,7]]}}");
        QCOMPARE(QString::fromStdString(toJson(r).dump()), QString::fromStdString(expected.dump()));
    }

    void damagedRecordsAreRefused()
    {
        VerdictRecord record;
        record.warm = Timing{};
        record.wrong = WrongElement{};
        const auto json = toJson(record);
        for (const auto& [key, value] : json.items()) {
            auto without = json;
            without.erase(key);
            QCOMPARE(verdictRecordFromJson(without).has_value(), key != "verdict");
            auto other = json;
            other[key] = {{"x", {1}}};
            QCOMPARE(verdictRecordFromJson(other).has_value(), key == "speedup" || key == "task");
        }
        for (const char* part : {"warm", "wrong"}) {
            for (const auto& [key, value] : json[part].items()) {
                auto without = json;
                without[part].erase(key);
                QVERIFY2(!verdictRecordFromJson(without).has_value(), key.c_str());
            }
        }
        QCOMPARE(verdictRecordFromJson(*parseJson(R"({"verdict":"correct"})"))->protocolVersion, 1);
    }

    /// Task and dense columns are one thing, in files of before as in those of today.
    void targetsHaveATaskAndAKey()
    {
        const TargetId vector{.contents = "d", .name = "n"};
        TargetId columns = vector;
        columns.variant.columns = 8;
        QVERIFY(vector.task() == Task::SpMV && columns.task() == Task::SpMM);
        QCOMPARE(vector.key(), std::string("d"));
        QCOMPARE(columns.key(), std::string("d/8"));
        const auto sampleOf = [](const TargetId& target) {
            SampleEvent sample;
            sample.target = target;
            return toJson(JournalEntry{0, 0, 0, 0, sample});
        };
        QVERIFY(!sampleOf(vector).contains("dense_columns") && !sampleOf(vector).contains("target_kind"));
        QCOMPARE(sampleOf(columns).at("dense_columns").get<int>(), 8);
        QCOMPARE(sampleOf(columns).at("matrix").get<std::string>(), std::string("d"));
        VerdictRecord record;
        record.target = columns;
        auto json = toJson(record);
        QCOMPARE(json.at("task").get<std::string>(), std::string("spmm"));
        QVERIFY(verdictRecordFromJson(json)->target.task() == Task::SpMM);
        json.erase("task"); // says nothing that the columns do not
        QVERIFY(verdictRecordFromJson(json)->target.task() == Task::SpMM);
        json["target_kind"] = "operator";
        QVERIFY(verdictRecordFromJson(json)->target.task() == Task::Operator);
        json["target_kind"] = "picture"; // of a newer version: not to be taken for a matrix
        QVERIFY(!verdictRecordFromJson(json));
    }

    void namesAndEnumeratorsAgree()
    {
        for (int i = 0; i < tests::enumerators<Verdict>; ++i)
            QVERIFY(verdictFromName(nameOf(static_cast<Verdict>(i))) == static_cast<Verdict>(i));
        QCOMPARE(nameOf(VerdictFlag::Suspicious), std::string_view("suspicious"));
        QCOMPARE(nameOf(VerdictFlag::SlowerThanBaseline), std::string_view("slower-than-baseline"));
        QCOMPARE(nameOf(VerdictFlag::Nondeterministic), std::string_view("nondeterministic"));
        QCOMPARE(nameOf(VerdictFlag::Copied), std::string_view("copied"));
        QCOMPARE(nameOf(VerdictFlag::NotMeasured), std::string_view("not-measured"));
        QCOMPARE(nameOf(VerdictFlag::VerifiedAgain), std::string_view("verified-again"));
        QCOMPARE(nameOf(VerdictFlag::OutOfMemory), std::string_view("out-of-memory"));
        QCOMPARE(nameOf(VerdictFlag::NotFinite), std::string_view("not-finite"));
        for (int i = 0; i <= static_cast<int>(VerdictFlag::VerifiedAgain); ++i)
            QVERIFY(verdictFlagFromName(nameOf(static_cast<VerdictFlag>(i))) == static_cast<VerdictFlag>(i));
        QVERIFY(!verdictFlagFromName("of-a-newer-version"));
        VerdictFlags flags{VerdictFlag::Copied};
        flags.add(VerdictFlag::Suspicious);
        flags.add(VerdictFlag::Copied);
        QVERIFY(flags.names() == (std::vector<std::string>{"copied", "suspicious"}));
        QVERIFY(flags.has(VerdictFlag::Suspicious) && !flags.has(VerdictFlag::Nondeterministic));
    }

    // Lists say of a record what its numbers say; the record itself stays what it was.
    void wrongResultsThatAreNotFinite()
    {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        VerdictRecord r;
        r.flags = {VerdictFlag::Nondeterministic};
        r.verdict = Verdict::WrongResult;
        const auto listed = [&](double expected, double got) {
            r.wrong = WrongElement{3, 0, expected, got, 1e-6};
            const auto back = verdictRecordFromJson(toJson(r));
            return back && listedFlags(*back).has(VerdictFlag::NotFinite) &&
                   listedFlags(*back).has(VerdictFlag::Nondeterministic) &&
                   !back->flags.has(VerdictFlag::NotFinite);
        };
        QVERIFY(listed(1, std::nan("")));
        QVERIFY(listed(1, infinity));
        QVERIFY(listed(1, -infinity));
        QVERIFY(!listed(1, 3e38));
        QVERIFY(!listed(infinity, infinity)); // as it should be, whatever the record says
        r.wrong.reset();
        QVERIFY(!listedFlags(r).has(VerdictFlag::NotFinite));
        r.wrong = WrongElement{3, 0, 1, std::nan(""), 1e-6};
        r.verdict = Verdict::Race;
        QVERIFY(!listedFlags(r).has(VerdictFlag::NotFinite));
    }
};

QTEST_APPLESS_MAIN(TestRecords)
#include "tst_records.moc"
