// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/theme.h"

#include "widgets/common/icons.h"
#include "widgets/common/plain_text.h"
#include "widgets/common/preferences.h"

#include <QApplication>
#include <QComboBox>
#include <QFontDatabase>
#include <QFontInfo>
#include <QFontMetrics>
#include <QPainter>
#include <QProxyStyle>
#include <QRegularExpression>
#include <QStyleFactory>
#include <QWidget>
#include <algorithm>
#include <array>

namespace sparserl {

namespace {

Theme lightTheme()
{
    Theme t;
    t.window = QColor(0xf5, 0xf6, 0xf8);
    t.base = QColor(0xff, 0xff, 0xff);
    t.raised = QColor(0xfb, 0xfc, 0xfd);
    t.border = QColor(0xdc, 0xe1, 0xe7);
    t.grid = QColor(0xec, 0xef, 0xf3);
    t.text = QColor(0x1c, 0x24, 0x2e);
    t.muted = QColor(0x5f, 0x6b, 0x7a);
    t.accent = QColor(0x1f, 0x62, 0xc4);
    t.onAccent = QColor(0xff, 0xff, 0xff);
    t.selection = QColor(0xdc, 0xe8, 0xfa);
    t.good = QColor(0x17, 0x7a, 0x48);
    t.warn = QColor(0x96, 0x59, 0x08);
    t.bad = QColor(0xbe, 0x32, 0x2a);
    return t;
}

Theme darkTheme()
{
    Theme t;
    t.dark = true;
    t.window = QColor(0x14, 0x17, 0x1c);
    t.base = QColor(0x1a, 0x1e, 0x25);
    t.raised = QColor(0x1f, 0x24, 0x2c);
    t.border = QColor(0x30, 0x37, 0x42);
    t.grid = QColor(0x27, 0x2d, 0x37);
    t.text = QColor(0xe2, 0xe7, 0xee);
    t.muted = QColor(0x97, 0xa3, 0xb3);
    t.accent = QColor(0x70, 0xa7, 0xfb);
    t.onAccent = QColor(0x0e, 0x14, 0x1d);
    t.selection = QColor(0x26, 0x3a, 0x58);
    t.good = QColor(0x4f, 0xc0, 0x8a);
    t.warn = QColor(0xe2, 0xb0, 0x55);
    t.bad = QColor(0xf0, 0x78, 0x6e);
    return t;
}

using Themes = std::array<Theme, curvePalettes.size()>;

/// The same with the curves of each palette.
Themes withCurves(const Theme& theme)
{
    Themes all;
    for (const CurvePalette curves : curvePalettes) {
        Theme& one = all[static_cast<std::size_t>(curves)];
        one = theme;
        one.curves = curves;
        one.series = curveColours(curves, theme.dark);
    }
    return all;
}

} // namespace

const Theme& Theme::light(CurvePalette curves)
{
    static const Themes themes = withCurves(lightTheme());
    return themes[static_cast<std::size_t>(curves)];
}

const Theme& Theme::darkTheme(CurvePalette curves)
{
    static const Themes themes = withCurves(sparserl::darkTheme());
    return themes[static_cast<std::size_t>(curves)];
}

const Theme& Theme::of(const QPalette& palette)
{
    const bool isDark =
        palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
    for (const CurvePalette curves : curvePalettes)
        if (palette.color(QPalette::LinkVisited) == curveColours(curves, isDark).first())
            return isDark ? darkTheme(curves) : light(curves);
    return isDark ? darkTheme() : light(); // the desktop's own palette
}

const Theme& Theme::of(const QWidget* widget)
{
    return of(widget->palette());
}

QColor blend(const QColor& under, const QColor& over, double opacity)
{
    const auto mix = [&](int a, int b) { return qRound(a + (b - a) * opacity); };
    return QColor(mix(under.red(), over.red()), mix(under.green(), over.green()),
                  mix(under.blue(), over.blue()));
}

namespace {

/// Numbers of colours of palette p are those from (p + 1) times this on.
constexpr int numbersOfPalette = 1 << 16;

} // namespace

int Theme::fixedColour(int index) const
{
    return (static_cast<int>(curves) + 1) * numbersOfPalette + index;
}

int Theme::withoutPalette(int number)
{
    return number % numbersOfPalette;
}

QColor Theme::seriesColour(int index) const
{
    const int palette = index / numbersOfPalette - 1;
    const bool isFixed = palette >= 0 && palette < static_cast<int>(curvePalettes.size());
    const QList<QColor>& colours =
        isFixed ? curveColours(curvePalettes[static_cast<std::size_t>(palette)], dark) : series;
    index = withoutPalette(index);
    const auto count = static_cast<int>(colours.size());
    const QColor& colour = colours[index % count];
    switch (index / count % 3) {
    case 1:
        return blend(colour, text, 0.42);
    case 2:
        return blend(colour, base, 0.42);
    default:
        return colour;
    }
}

QPalette Theme::palette() const
{
    QPalette p;
    p.setColor(QPalette::Window, window);
    p.setColor(QPalette::WindowText, text);
    p.setColor(QPalette::Base, base);
    p.setColor(QPalette::AlternateBase, raised);
    p.setColor(QPalette::Text, text);
    p.setColor(QPalette::PlaceholderText, muted);
    p.setColor(QPalette::Button, raised);
    p.setColor(QPalette::ButtonText, text);
    p.setColor(QPalette::BrightText, bad);
    p.setColor(QPalette::Highlight, selection);
    p.setColor(QPalette::HighlightedText, text);
    p.setColor(QPalette::ToolTipBase, raised);
    p.setColor(QPalette::ToolTipText, text);
    p.setColor(QPalette::Link, accent);
    // Nothing shows visited links: this tells Theme::of() which curves were chosen.
    p.setColor(QPalette::LinkVisited, series.first());
    p.setColor(QPalette::Light, dark ? raised : base);
    p.setColor(QPalette::Midlight, grid);
    p.setColor(QPalette::Mid, border);
    p.setColor(QPalette::Dark, border);
    p.setColor(QPalette::Shadow, dark ? QColor(0, 0, 0) : QColor(0x9a, 0xa4, 0xb0));
    const QColor disabled = blend(base, muted, 0.65);
    for (const auto role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
        p.setColor(QPalette::Disabled, role, disabled);
    p.setColor(QPalette::Disabled, QPalette::Base, window);
    return p;
}

namespace {

/// Fusion with more air beside the text of cells: a number to the right of its column and the word that
/// begins the next one would almost touch. Names come from others: what they hide is shown.
class HouseStyle : public QProxyStyle
{
public:
    HouseStyle()
        : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion")))
    {
    }
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override
    {
        const int usual = QProxyStyle::pixelMetric(metric, option, widget);
        switch (metric) {
        case PM_FocusFrameHMargin:
            return 6;
        case PM_IndicatorWidth:
        case PM_IndicatorHeight:
        case PM_ExclusiveIndicatorWidth:
        case PM_ExclusiveIndicatorHeight:
            return atTextSize(usual);
        case PM_ButtonIconSize:
        case PM_SmallIconSize:
        case PM_ListViewIconSize:
        case PM_ToolBarIconSize:
        case PM_TabBarIconSize:
        case PM_LineEditIconSize:
            return besideText(usual);
        case PM_TabBarScrollButtonWidth:
            return 0; // TabMenu lists the tabs that do not fit
        default:
            return usual;
        }
    }
    void drawItemText(QPainter* painter, const QRect& place, int flags, const QPalette& palette, bool enabled,
                      const QString& text, QPalette::ColorRole role) const override
    {
        QString shown = visibleText(text);
        // Qt cuts the text of a narrow box off in the middle of a letter.
        if (dynamic_cast<const QComboBox*>(painter->device()))
            shown = painter->fontMetrics().elidedText(shown, Qt::ElideRight, place.width());
        QProxyStyle::drawItemText(painter, place, flags, palette, enabled, shown, role);
    }
    QRect itemTextRect(const QFontMetrics& metrics, const QRect& place, int flags, bool enabled,
                       const QString& text) const override
    {
        return QProxyStyle::itemTextRect(metrics, place, flags, enabled, visibleText(text));
    }
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override
    {
        if (const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(option);
            element == CE_ItemViewItem && item) {
            QStyleOptionViewItem shown(*item);
            shown.text = visibleText(item->text);
            QProxyStyle::drawControl(element, &shown, painter, widget);
        } else if (const auto* entry = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
                   element == CE_MenuItem && entry) {
            QStyleOptionMenuItem shown(*entry);
            shown.text = visibleText(entry->text);
            QProxyStyle::drawControl(element, &shown, painter, widget);
        } else {
            QProxyStyle::drawControl(element, option, painter, widget);
        }
    }
    /// The pictures of a question or a warning are drawings of ours, in the theme's colours, at any scale.
    QIcon standardIcon(StandardPixmap which, const QStyleOption* option, const QWidget* widget) const override
    {
        switch (which) {
        case SP_MessageBoxQuestion:
            return themedIcon(QStringLiteral("question"));
        case SP_MessageBoxInformation:
            return themedIcon(QStringLiteral("info"));
        case SP_MessageBoxWarning:
        case SP_MessageBoxCritical:
            return themedIcon(QStringLiteral("warning"));
        default:
            return QProxyStyle::standardIcon(which, option, widget);
        }
    }
    /// Fusion's own pictures of Close and Cancel fit neither theme, and only some platforms show them.
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* answer) const override
    {
        return hint == SH_DialogButtonBox_ButtonsHaveIcons
                   ? 0
                   : QProxyStyle::styleHint(hint, option, widget, answer);
    }
};

// One short sheet: what Fusion and the palette do not give (flat rounded controls, quiet headers, slim scroll
// bars). A length after ~ grows with the text, and one after ^ half as much.
QString styleSheet(const Theme& t)
{
    QString sheet = QStringLiteral(R"(
QToolTip { color:@text; background:@raised; border:1px solid @border; padding:4px 6px; }
QMenuBar { background:@window; }
QMenuBar::item { padding:4px 9px; background:transparent; border-radius:4px; }
QMenuBar::item:selected { background:@selection; }
QMenu { background:@base; border:1px solid @border; padding:4px; }
QMenu::item { padding:5px ^26px 5px ^22px; border-radius:4px; }
QMenu::item:selected { background:@selection; color:@text; }
QMenu::item:disabled { color:@disabled; }
QMenu::separator { height:1px; background:@grid; margin:4px 6px; }
QStatusBar { background:@window; color:@muted; border-top:1px solid @border; }
QStatusBar::item { border:none; }
QPushButton { background:@base; border:1px solid @border; border-radius:5px; padding:4px 12px; min-height:18px; }
QPushButton:hover { border-color:@muted; }
QPushButton:pressed { background:@selection; }
QPushButton:focus { border-color:@accent; }
QPushButton:disabled { color:@disabled; background:@window; }
QPushButton[primary="true"] { background:@accent; color:@onAccent; border-color:@accent; }
QPushButton[primary="true"]:disabled { background:@grid; color:@disabled; border-color:@grid; }
QPushButton[primary="true"]:focus { border-color:@text; }
QPushButton::menu-indicator { image:none; width:0; }
QPushButton[flat="true"] { background:transparent; border-color:transparent; }
QToolButton { background:transparent; border:1px solid transparent; border-radius:5px; padding:3px; }
QToolButton:hover { background:@grid; }
QToolButton:checked, QToolButton:pressed { background:@selection; }
QToolButton:focus { border-color:@accent; }
QToolButton[framed="true"] { background:@base; border-color:@border; padding:4px 7px; }
QToolButton[beside="true"] { padding:4px 1px 4px 8px; } /* Qt gives two spaces more behind a text beside its icon */
QToolButton[framed="true"]:focus, QToolButton[framed="true"]:checked { border-color:@accent; }
QToolButton::menu-indicator { image:none; }
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox { background:@base; border:1px solid @border; border-radius:5px;
    padding:3px 7px; min-height:@linepx; selection-background-color:@selection; selection-color:@text; }
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus { border-color:@accent; }
QLineEdit, QSpinBox, QDoubleSpinBox { padding-left:5px; } /* a line edit keeps two more from its text */
QLineEdit[invalid="true"] { border-color:@bad; }
QLineEdit:disabled, QComboBox:disabled { color:@disabled; background:@window; }
QComboBox::drop-down { border:none; width:20px; }
QComboBox::down-arrow { image:url(:/icons/themed/chevron-@mode.svg); width:^12px; height:^12px; }
QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button, QDoubleSpinBox::down-button {
    subcontrol-origin:border; border:none; width:20px; }
QSpinBox::up-button, QDoubleSpinBox::up-button { subcontrol-position:top right; }
QSpinBox::down-button, QDoubleSpinBox::down-button { subcontrol-position:bottom right; }
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow { image:url(:/icons/themed/chevron-up-@mode.svg); width:^10px;
    height:^10px; }
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow { image:url(:/icons/themed/chevron-@mode.svg); width:^10px;
    height:^10px; }
QComboBox QAbstractItemView { background:@base; border:1px solid @border; selection-background-color:@selection;
    selection-color:@text; outline:none; }
QHeaderView { background:@base; }
QHeaderView::section { background:@base; color:@muted; border:none; border-bottom:1px solid @border;
    padding:5px @behindpx 5px 7px; } /* Qt takes the width of the arrow off the right, where none is */
QHeaderView::up-arrow, QHeaderView::down-arrow { subcontrol-origin:border; subcontrol-position:top center;
    width:^10px; height:^8px; }
QHeaderView::up-arrow { image:url(:/icons/themed/chevron-up-@mode.svg); }
QHeaderView::down-arrow { image:url(:/icons/themed/chevron-@mode.svg); }
QCheckBox::indicator, QMenu::indicator, QTableView::indicator, QTreeView::indicator, QListView::indicator {
    width:~13px; height:~13px; border:1px solid @muted; border-radius:3px; background:@base; }
QMenu::indicator { margin-left:4px; }
QCheckBox::indicator:checked, QMenu::indicator:checked, QTableView::indicator:checked,
    QTreeView::indicator:checked, QListView::indicator:checked { background:@accent; border-color:@accent;
    image:url(:/icons/themed/check-@mode.svg); }
QCheckBox::indicator:focus { border-color:@accent; }
QTableView, QTreeView, QListView { background:@base; border:none; outline:none; gridline-color:@grid;
    selection-background-color:@selection; selection-color:@text; }
QListWidget::item, QTreeWidget::item { padding:2px 0; }
QListWidget::item { padding:1px 0; border:1px solid transparent; } /* the focus moves no text */
QTreeView[roomy="true"]::item { padding:2px 0; }
QListWidget::item:focus { border:1px solid @accent; border-radius:3px; background:transparent; }
QListWidget::item:selected { background:@selection; color:@text; }
QTableView:focus { border:none; }
QPlainTextEdit { background:@base; border:none; selection-background-color:@selection;
    selection-color:@text; }
QTabWidget::pane { border:none; }
QTabBar { background:transparent; }
QTabBar::tab { background:transparent; color:@muted; padding:6px 3px; margin:0 3px; border:none;
    border-bottom:2px solid transparent; }
QTabBar::tab:first { margin-left:7px; }
QTabBar::tab:selected { color:@text; border-bottom-color:@accent; }
QTabBar::tab:hover { color:@text; }
QTabBar::tab:focus { color:@accent; }
QSplitter::handle { background:@window; }
QGroupBox { border:1px solid @border; border-radius:6px; margin-top:9px; padding-top:8px; background:@base; }
QGroupBox::title { subcontrol-origin:margin; left:10px; padding:0 4px; color:@muted; }
QProgressBar { background:@grid; border:none; border-radius:3px; max-height:6px; min-height:6px; color:transparent; }
QProgressBar::chunk { background:@accent; border-radius:3px; }
QScrollBar:vertical { background:transparent; width:^11px; margin:0; }
QScrollBar:horizontal { background:transparent; height:^11px; margin:0; }
QScrollBar::handle { background:@scroll; border-radius:4px; margin:2px; }
QScrollBar::handle:vertical { min-height:^28px; }
QScrollBar::handle:horizontal { min-width:^28px; }
QScrollBar::handle:hover { background:@muted; }
QScrollBar::add-line, QScrollBar::sub-line { width:0; height:0; }
QScrollBar::add-page, QScrollBar::sub-page { background:transparent; }
QAbstractScrollArea::corner { background:transparent; border:none; }
QFrame[card="true"] { background:@base; border:1px solid @border; border-radius:7px; }
QFrame[rule="true"] { background:@border; border:none; }
QLabel[muted="true"] { color:@muted; }
QLabel[bad="true"] { color:@bad; }
QLabel[good="true"] { color:@good; }
QScrollArea, QScrollArea > QWidget > QWidget[plain="true"] { background:transparent; border:none; }
)");
    const std::pair<const char*, QString> names[] = {
        {"@onAccent", t.onAccent.name()},
        {"@selection", t.selection.name()},
        {"@disabled", blend(t.base, t.muted, 0.65).name()},
        {"@window", t.window.name()},
        {"@raised", t.raised.name()},
        {"@border", t.border.name()},
        {"@accent", t.accent.name()},
        {"@scroll", blend(t.base, t.muted, 0.4).name()},
        {"@muted", t.muted.name()},
        {"@text", t.text.name()},
        {"@base", t.base.name()},
        {"@grid", t.grid.name()},
        {"@good", t.good.name()},
        {"@bad", t.bad.name()},
        {"@mode", t.dark ? QStringLiteral("dark") : QStringLiteral("light")},
    };
    for (const auto& [name, value] : names)
        sheet.replace(QLatin1String(name), value);
    // A layout may make a field as low as this: its line of text has room in it.
    const int line = std::max(19, QFontMetrics(QApplication::font()).height() + 2);
    sheet.replace(QLatin1String("@linepx"), QStringLiteral("%1px").arg(line));
    constexpr int arrow = 10, behind = 8; // as wide as the sheet makes it
    sheet.replace(QLatin1String("@behindpx"), QStringLiteral("%1px").arg(behind - besideText(arrow)));
    static const QRegularExpression growing(QStringLiteral("([~^])(\\d+)px"));
    for (auto match = growing.match(sheet); match.hasMatch(); match = growing.match(sheet)) {
        const int length = match.captured(2).toInt();
        const int grown = match.captured(1) == QLatin1Char('~') ? atTextSize(length) : besideText(length);
        sheet.replace(match.capturedStart(), match.capturedLength(), QStringLiteral("%1px").arg(grown));
    }
    return sheet;
}

} // namespace

void applyColours(ThemeChoice choice, CurvePalette curves)
{
    QApplication::setStyle(new HouseStyle);
    QApplication::setPalette(QPalette()); // back to the desktop's, to see which one that is
    const bool dark = choice == ThemeChoice::Dark ||
                      (choice == ThemeChoice::System && Theme::of(QApplication::palette()).dark);
    const Theme& theme = dark ? Theme::darkTheme(curves) : Theme::light(curves);
    QApplication::setPalette(theme.palette());
}

void applyStyleSheet(QApplication& application)
{
    application.setStyleSheet(styleSheet(Theme::of(QApplication::palette())));
}

void applyTheme(QApplication& application, ThemeChoice choice, CurvePalette curves)
{
    applyColours(choice, curves);
    applyStyleSheet(application);
}

namespace {

/// Qt keeps a font for each class of widgets; that of the editor of code is the font of all code.
constexpr const char* codeClass = "QsciScintilla";
constexpr const char* textPercentProperty = "sparserlTextPercent";

QFont desktopCodeFont()
{
    const QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    return QFontInfo(fixed).fixedPitch() ? fixed : QFont(QStringLiteral("monospace"));
}

} // namespace

int atTextSize(int pixels)
{
    const QVariant percent = qApp->property(textPercentProperty);
    return percent.isValid() ? pixels * percent.toInt() / 100 : pixels;
}

int besideText(int pixels)
{
    return (pixels + atTextSize(pixels)) / 2;
}

void applyFonts(const QFont& desktop, const Preferences& preferences)
{
    qApp->setProperty(textPercentProperty, preferences.textPercent); // fonts that change ask for it
    QFont text = desktop;
    text.setPointSizeF(desktop.pointSizeF() * preferences.textPercent / 100);
    QFont code = preferences.codeFamily.isEmpty() ? desktopCodeFont() : QFont(preferences.codeFamily);
    code.setPointSizeF(preferences.codePoints > 0 ? preferences.codePoints : text.pointSizeF());
    QApplication::setFont(text);
    QApplication::setFont(code, codeClass);
}

QFont codeFont()
{
    const QFont chosen = QApplication::font(codeClass);
    if (QFontInfo(chosen).fixedPitch())
        return chosen;
    QFont font = desktopCodeFont();
    font.setPointSizeF(QApplication::font().pointSizeF());
    return font;
}

} // namespace sparserl
