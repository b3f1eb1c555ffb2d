// SPDX-License-Identifier: Apache-2.0
// Messages between judge and runners: every member comes back, and what is not whole is refused.
#include "base/json.h"
#include "evaluation/protocol/message_fields.h"
#include "tests/base/record_checks.h"

#include <QTest>

using namespace sparserl;

namespace sparserl::tests {
template <>
constexpr int enumerators<ElementType> = static_cast<int>(ElementType::Bool) + 1;
template <>
constexpr int enumerators<TargetKind> = static_cast<int>(TargetKind::Operator) + 1;
} // namespace sparserl::tests

namespace {

/// A message round trips with finite numbers; without one of its fields, or with one of another type, and
/// with a number that is none, it is refused.
template <typename Message, typename Write, typename Read>
std::string complaintOf(Write&& write, Read&& read, const std::set<std::string>& mayBeMissing = {})
{
    auto complaint = tests::roundTrips<Message>(
        [&](const Message& message) -> std::optional<Message> {
            auto back = read(tests::throughText(write(message)));
            return back ? std::optional<Message>(std::move(*back)) : std::nullopt;
        },
        true);
    if (!complaint.empty())
        return complaint;
    tests::Filler filler(5, true);
    Message message{};
    filler.record(message);
    const auto json = write(message);
    for (const auto& [key, value] : json.items()) {
        auto without = json;
        without.erase(key);
        if (key != "type" && read(without).has_value() != mayBeMissing.contains(key))
            return "without " + key;
        for (const auto& wrong : {nlohmann::json(nullptr), nlohmann::json("nan"),
                                  nlohmann::json({{"x", nlohmann::json::array({1})}})}) {
            auto other = json;
            other[key] = wrong;
            if (key != "type" && read(other).has_value() && !(wrong.is_string() && value.is_string()))
                return key + " as " + wrong.dump();
        }
    }
    return {};
}

constexpr auto toText = [](const auto& message) { return toJson(message); };

} // namespace

class TestMessages : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyMemberIsDescribed()
    {
        COMPLAINT(tests::describedWhole<KernelResources>());
        COMPLAINT(tests::describedWhole<NumberRange>());
        COMPLAINT(tests::describedWhole<CallRanges>(0, 1)); // Alpha and beta of one member.
        COMPLAINT(tests::describedWhole<Fault>());
        COMPLAINT(tests::describedWhole<BindFailure>());
        COMPLAINT(tests::describedWhole<Occupancy>());
        COMPLAINT(
            tests::describedWhole<LaunchReport>(std::size_t(0) - 2)); // Three fields are those of one member.
        COMPLAINT(tests::describedWhole<CompileRequest>());
        COMPLAINT(tests::describedWhole<AssembleRequest>());
        COMPLAINT(tests::describedWhole<CompileFailure>());
        COMPLAINT(tests::describedWhole<SimulationCase>());
        COMPLAINT(tests::describedWhole<SimulationJob>(0, 2)); // Columns, type and kind of one variant.
        COMPLAINT(tests::describedWhole<GpuCase>());
        COMPLAINT(tests::describedWhole<GpuTiming>());
        COMPLAINT(tests::describedWhole<GpuJob>(0, 2));
        COMPLAINT(tests::describedWhole<ComparedCalls>());
        COMPLAINT(tests::describedWhole<GpuMeasured>());
        COMPLAINT(tests::describedWhole<GpuAnswer>());
        COMPLAINT(tests::describedWhole<BaselineJob>(0, 2));
        COMPLAINT(tests::describedWhole<BaselineTiming>());
        COMPLAINT(tests::describedWhole<BaselineAnswer>());
        COMPLAINT(tests::describedWhole<GpuInfo>());
    }

    void requestsComeBack()
    {
        COMPLAINT(complaintOf<CompileRequest>(toText, compileRequestFromJson));
        COMPLAINT(complaintOf<AssembleRequest>(toText, assembleRequestFromJson));
        COMPLAINT(complaintOf<SimulationJob>(toText, simulationJobFromJson));
        COMPLAINT(complaintOf<GpuJob>(toText, gpuJobFromJson, {"timing"}));
        COMPLAINT(complaintOf<BaselineJob>(toText, baselineJobFromJson));
    }

    /// What was never written is a NaN.
    void wrongElementsMayBeAnything()
    {
        GpuAnswer answer;
        answer.timing.emplace();
        answer.timing->compared.wrong = WrongElement{3, 1, -INFINITY, NAN, 0.25};
        const auto text = toJson(answer).dump();
        const auto back = gpuAnswerFromJson(nlohmann::json::parse(text));
        QVERIFY2(back.has_value(), back ? "" : back.error().sentence().c_str());
        const auto& wrong = back->timing->compared.wrong;
        QVERIFY(wrong && wrong->row == 3 && wrong->column == 1 && wrong->expected == -INFINITY &&
                std::isnan(wrong->got) && wrong->bound == 0.25 && !wrong->output);
        answer.timing->compared.wrong->output = 2;
        const auto other = gpuAnswerFromJson(nlohmann::json::parse(toJson(answer).dump()));
        QVERIFY(other && other->timing->compared.wrong &&
                other->timing->compared.wrong->output == std::optional<std::int64_t>(2));
    }

    void answersComeBack()
    {
        COMPLAINT(complaintOf<GpuAnswer>(toText, gpuAnswerFromJson, {"timing"}));
        COMPLAINT(complaintOf<BaselineAnswer>(toText, baselineAnswerFromJson));
        COMPLAINT(complaintOf<GpuInfo>(toText, gpuInfoFromJson));
        COMPLAINT(complaintOf<CaseAnswer>(
            [](const CaseAnswer& answer) { return toJson(std::vector{answer})["cases"][0]; },
            [](const nlohmann::json& json) -> std::optional<CaseAnswer> {
                const auto read = caseAnswersFromJson({{"type", "simulated"}, {"cases", {json}}});
                return read ? std::optional(read->at(0)) : std::nullopt;
            },
            {"bind", "fault"}));
        COMPLAINT(complaintOf<CompiledProgram>(
            [](const CompiledProgram& program) {
                return toJson(tl::expected<CompiledProgram, CompileFailure>(program), true);
            },
            [](const nlohmann::json& json) -> std::optional<CompiledProgram> {
                const auto read = compileAnswerFromJson(json);
                return read && *read ? std::optional(**read) : std::nullopt;
            }));
        COMPLAINT(complaintOf<CompileFailure>(
            [](const CompileFailure& failure) {
                return toJson(tl::expected<CompiledProgram, CompileFailure>(tl::unexpected(failure)));
            },
            [](const nlohmann::json& json) -> std::optional<CompileFailure> {
                const auto read = compileAnswerFromJson(json);
                return read && !*read ? std::optional(read->error()) : std::nullopt;
            }));
    }
};

QTEST_APPLESS_MAIN(TestMessages)
#include "tst_messages.moc"
