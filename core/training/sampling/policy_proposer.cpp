// SPDX-License-Identifier: Apache-2.0
#include "training/sampling/policy_proposer.h"

#include "training/sampling/repeatable.h"

#include <deque>
#include <fmt/format.h>
#include <utility>

namespace sparserl {

namespace {

/// Programs that are written at a time: they are decoded side by side, which costs little more than one.
constexpr std::size_t batch = 16;

class PolicyProposer : public Proposer
{
public:
    PolicyProposer(std::shared_ptr<const ProgramWriter> writer, Target target,
                   std::vector<double> temperatures, CancelToken cancel, std::function<void(double)> progress)
        : m_writer(std::move(writer))
        , m_target(std::move(target))
        , m_temperatures(std::move(temperatures))
        , m_cancel(std::move(cancel))
        , m_progress(std::move(progress))
    {
        if (m_temperatures.empty())
            m_temperatures.push_back(m_writer->temperature());
        for (const double temperature : m_temperatures)
            m_parts.push_back({wordsOf(temperature)});
    }
    std::string_view name() const override { return "policy"; }
    std::optional<Proposal> propose(const Archive& archive, Rng& rng) override;
    void learn(const SearchedProgram& program, double reward) override;
    std::size_t position() const override { return m_next; }
    void goOnAt(std::size_t position) override
    {
        m_next = position;
        m_written.clear();
    }
    std::vector<ProposalCounts> parts() const override { return m_parts; }

private:
    static std::string wordsOf(double temperature) { return fmt::format("T={:g}", temperature); }
    double temperatureOf(std::size_t number) const
    {
        return m_temperatures[number / batch % m_temperatures.size()];
    }
    void write();

    std::shared_ptr<const ProgramWriter> m_writer;
    Target m_target;
    std::vector<double> m_temperatures;
    CancelToken m_cancel;
    std::function<void(double)> m_progress;
    std::size_t m_next = 0;                 ///< Number of the next program,
    std::deque<GeneratedProgram> m_written; ///< which is the first of these.
    std::vector<ProposalCounts> m_parts;    ///< By temperature.
};

/// The rest of the batch that the next program is of.
void PolicyProposer::write()
{
    const ProgramRange range{m_next, batch - m_next % batch, temperatureOf(m_next), true};
    for (GeneratedProgram& program : m_writer->write(m_target, range, m_cancel, {m_progress, {}, {}}))
        m_written.push_back(std::move(program));
}

std::optional<Proposal> PolicyProposer::propose(const Archive& /*archive*/, Rng& /*rng*/)
{
    if (m_written.empty())
        write();
    if (m_written.empty() || m_cancel.cancelled())
        return std::nullopt;
    GeneratedProgram program = std::move(m_written.front());
    m_written.pop_front();
    const double temperature = temperatureOf(m_next++);
    if (!program.stopReason.empty()) // It cannot compile, or has no end.
        return std::nullopt;
    return Proposal{
        std::move(program.text), {}, {}, {{{}, "written by the policy at " + wordsOf(temperature)}}};
}

void PolicyProposer::learn(const SearchedProgram& program, double /*reward*/)
{
    for (ProposalCounts& part : m_parts) {
        if (!program.steps.empty() && program.steps.front().words.ends_with(part.name))
            part.count(program);
    }
}

} // namespace

std::unique_ptr<Proposer> makePolicyProposer(std::shared_ptr<const ProgramWriter> writer, Target target,
                                             std::vector<double> temperatures, CancelToken cancel,
                                             std::function<void(double)> progress)
{
    return std::make_unique<PolicyProposer>(std::move(writer), std::move(target), std::move(temperatures),
                                            std::move(cancel), std::move(progress));
}

Result<std::shared_ptr<const ProgramWriter>> loadSearchPolicy(const std::filesystem::path& folder,
                                                              std::uint64_t seed)
{
    GenerationOptions options;
    options.seed = seed;
    SPARSERL_TRY(const auto compute, computeFor(options.device, options.precision));
    computeRepeatably(0, 1, compute);
    SPARSERL_TRY(auto writer, ProgramWriter::load(folder, options));
    return std::make_shared<const ProgramWriter>(std::move(writer));
}

} // namespace sparserl
