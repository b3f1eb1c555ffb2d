// SPDX-License-Identifier: Apache-2.0
#include "tests/widgets/every_dialog.h"

#include "app/workbench/capabilities_dialog.h"
#include "app/workbench/command_palette.h"
#include "app/workbench/endpoints_dialog.h"
#include "app/workbench/model_dialog.h"
#include "app/workbench/policies_dialog.h"
#include "app/workbench/settings_dialog.h"
#include "project/run/run_config.h"
#include "project/run/run_directory.h"
#include "tests/patience.h"
#include "widgets/common/format.h"
#include "widgets/kernels/edit_dialog.h"
#include "widgets/kernels/export_dialog.h"
#include "widgets/kernels/search_dialog.h"
#include "widgets/kernels/specialise_dialog.h"
#include "widgets/kernels/write_dialog.h"
#include "widgets/matrices/generate_dialog.h"
#include "widgets/matrices/import_report.h"
#include "widgets/training/host_chooser.h"
#include "widgets/training/launch_dialog.h"
#include "widgets/training/run_columns_dialog.h"
#include "widgets/training/run_model.h"
#include "widgets/training/run_notes_dialog.h"

#include <QTest>
#include <algorithm>

namespace sparserl::test {

namespace {

/// A run of this configuration, outside of the project, read again: what was typed is what it holds.
Status keptByARun(const std::filesystem::path& folder, const RunConfig& config)
{
    SPARSERL_TRY(const auto run, RunDirectory::create(folder, config));
    SPARSERL_TRY(const auto read, readRunConfig(run.path() / "run.toml"));
    if (read.title != config.title)
        return fail("The run holds something else than what was typed: " + read.title);
    for (const auto& [key, value] : config.parameters)
        if (key != "judge.seed" && // drawn where it is 0
            (!read.parameters.contains(key) || toText(read.parameters.at(key)) != toText(value)))
            return fail("The run holds something else than what was typed: " + key);
    return {};
}

} // namespace

Status EveryDialog::open(const std::filesystem::path& project, const QString& settingsFile)
{
    m_path = project;
    SPARSERL_TRY(m_session, ProjectSession::open(project));
    if (!QTest::qWaitFor([this] { return m_session->isReady() && !m_session->busy(); }, patience()))
        return fail("The project is not read");
    SPARSERL_TRY(auto reader, ProjectReader::open(project));
    CandidateFilter filter;
    filter.verdicts = {"correct"};
    SPARSERL_TRY(const auto ids, reader.candidateOrder(filter, {}, true));
    if (ids.size() < 2)
        return fail("The project has too few programs");
    SPARSERL_TRY(m_rows, reader.candidateRows({ids[0], ids[1]}));
    SPARSERL_TRY(const auto text, reader.programText(m_rows[0].programHash));
    SPARSERL_TRY(const auto record, reader.verdict(m_rows[0].id));
    m_program = {m_rows[0], text, record};
    SPARSERL_TRY(m_checkpoints, reader.checkpoints());
    SPARSERL_TRY(const auto runs, reader.runs());
    SPARSERL_TRY(const auto matrices, reader.matrices());
    if (runs.empty() || matrices.empty())
        return fail("The project has no run or no matrix");
    m_run = runs.front();
    for (const RunSummary& run : runs) // one that can be forked
        if (run.stage == "rl" && std::ranges::any_of(m_checkpoints, [&](const CheckpointRow& checkpoint) {
                return checkpoint.present && checkpoint.runName == run.name;
            }))
            m_run = run;
    SPARSERL_TRY(m_config, readRunConfig(project / "runs" / m_run.name / "run.toml"));
    m_digest = matrices.front().digest;
    m_settings = std::make_unique<Settings>(settingsFile);
    fillList();
    return {};
}

void EveryDialog::fillList()
{
    const auto launched = [this](QDialog& dialog) {
        return keptByARun(path().string() + "-launched", static_cast<LaunchDialog&>(dialog).config());
    };
    const auto searched = [this](QDialog& dialog) {
        auto& form = static_cast<SearchDialog&>(dialog);
        form.refuse(QStringLiteral("Nothing starts it here."));
        return keptByARun(path().string() + "-searched", form.config());
    };
    m_dialogs = {
        {"launch", [this] { return new LaunchDialog(m_checkpoints, path(), nullptr); }, launched},
        {"fork",
         [this] {
             auto* dialog = new LaunchDialog(m_checkpoints, path(), nullptr);
             const QString label = runLabel(m_run);
             dialog->setRuns({{m_run.name, label, m_config}});
             dialog->takeOver(m_run.name, {{"rl.entropy_coef", "0.02"}});
             dialog->setWindowTitle(QStringLiteral("Fork of %1").arg(label));
             for (const CheckpointRow& checkpoint : m_checkpoints)
                 if (checkpoint.present && checkpoint.runName == m_run.name)
                     dialog->choose(m_run.stage, {}, checkpoint.path);
             return dialog;
         }},
        {"elsewhere",
         [this] {
             auto* dialog = new LaunchDialog(m_checkpoints, path(), nullptr);
             const RemoteHost host{"gpu-7"};
             dialog->where()->choose(host);
             dialog->where()->showAnswer(
                 host, RemoteMachine{"1.0",
                                     {{"gpu", "GPU", "good", "One NVIDIA H100 80GB HBM3, driver 580.159."},
                                      {"cpu", "Processor", "good", "16 cores with AVX-512."}}});
             return dialog;
         },
         launched},
        {"notes",
         [this] {
             return new RunNotesDialog(m_run, {QStringLiteral("baseline"), QStringLiteral("paper")}, nullptr);
         },
         [this](QDialog& dialog) -> Status {
             const auto changes = static_cast<RunNotesDialog&>(dialog).changes();
             if (!changes.empty())
                 m_session->annotate(changes, QStringLiteral("tags and note"));
             return {};
         }},
        {"columns",
         [this] {
             auto* dialog = new RunColumnsDialog;
             RunNames names;
             names.tags = {"baseline", "paper"};
             names.metrics = {{"loss", {"train"}}, {"reward_mean", {"train", "held-out"}}};
             names.parameters = {"rl.kl_coef", "seed"};
             dialog->setChoices(names, {"seed"}, {0, 1}, {});
             return dialog;
         }},
        {"generate", [] { return new GenerateDialog(nullptr); },
         [this](QDialog& dialog) -> Status {
             const auto& form = static_cast<GenerateDialog&>(dialog);
             SPARSERL_TRY(auto project, Project::open(path()));
             AddMatrixOptions options;
             options.name = form.name();
             options.split = form.split();
             SPARSERL_TRY(const auto entry, project.addGenerated(form.generator(), options));
             SPARSERL_TRY(auto again, Project::open(path())); // what was written can be read
             SPARSERL_CHECK(again.removeMatrices({entry.name}));
             return {};
         }},
        {"import-report",
         [] {
             return new ImportReport(
                 {{QStringLiteral("damaged.mtx"), QStringLiteral("line 17: a column is missing")},
                  {QStringLiteral("folder/very-long-name-of-a-matrix-of-a-collection.mtx.gz"),
                   QStringLiteral("the file ends in the middle of the entry 1,204,311 of 2,000,000")}},
                 nullptr);
         }},
        {"specialise", [this] { return new SpecialiseDialog(session(), {m_digest}, nullptr); }},
        {"search", [this] { return new SearchDialog(session(), {m_digest}, nullptr); }, searched},
        {"edit", [this] { return new EditDialog(session(), m_program, {}, nullptr); }},
        {"write", [this] { return new WriteDialog(session(), nullptr); }},
        {"export", [this] { return new ExportDialog(session(), m_rows, nullptr); }},
        {"export-one", [this] { return new ExportDialog(session(), {m_rows[0]}, nullptr); }},
        {"about", [this] { return new CapabilitiesDialog(path(), nullptr); }},
        {"palette",
         [] {
             return new CommandPalette(
                 {{QStringLiteral("File"), QStringLiteral("Open project…"), QStringLiteral("Ctrl+O"), {}},
                  {QStringLiteral("Run"), QStringLiteral("0003-rl, the second one"), {}, {}},
                  {QStringLiteral("Kernels"), QStringLiteral("Verify again"), QStringLiteral("V"), {}}},
                 nullptr);
         }},
        {"endpoints", [] { return new EndpointsDialog(nullptr); }},
        {"model", [this] { return new ModelDialog(path(), nullptr); }},
        {"new-endpoint", [] { return new NewEndpointDialog(nullptr); }},
        {"policies", [this] { return new PoliciesDialog(m_session.get(), nullptr); }},
        {"settings", [this] { return new SettingsDialog(*m_settings, nullptr); }},
    };
}

} // namespace sparserl::test
