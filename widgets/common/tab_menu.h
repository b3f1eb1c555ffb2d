// SPDX-License-Identifier: Apache-2.0
#pragma once

class QTabWidget;

namespace sparserl {

/// Shows a button beside the tabs while some of them do not fit. Its menu lists all tabs. Call it after the
/// corner widget of the tabs is set; the button is placed before this widget.
void listTabsThatDoNotFit(QTabWidget* tabs);

} // namespace sparserl
