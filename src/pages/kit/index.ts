// What the pages share: views of any subject, and how a page finds its way. Built into each page by Vite.
export { browserClock } from './page/browser-clock.js';
export { createKit, type OpenedKit } from './page/create-kit.js';
export { KitProvider, useKit, type Kit } from './page/kit.js';
export { createRouter, type Router } from './page/router.js';
export { pageStorage, tabStorage } from './page/page-storage.js';
export { copyText } from './page/copy-text.js';
export { saveFile } from './page/save-file.js';
export { useLoad, useRows, type Loaded } from './page/use-load.js';
export { useMedia, useStore } from './page/use-store.js';
export { useNow } from './page/use-now.js';

export { ActionButton } from './views/action-button.js';
export { Badge, type Tone } from './views/badge.js';
export { Bar } from './views/bar.js';
export { Card } from './views/card.js';
export { Confirm } from './views/confirm.js';
export { Conflict, type FieldVersions } from './views/conflict.js';
export { CopyField } from './views/copy-field.js';
export { Dialog } from './views/dialog.js';
export { Diff, type DiffLine, type TextDiff } from './views/diff.js';
export { EditDialog, type EditDialogProps } from './views/edit-dialog.js';
export { Facts } from './views/facts.js';
export { FaultBoundary } from './views/fault-boundary.js';
export { Icon, type IconName } from './views/icon.js';
export { Link } from './views/link.js';
export { Meter, Progress } from './views/meter.js';
export { RotateKey } from './views/rotate-key.js';
export { StatementView, type StatementPayment, type StatementSums } from './views/statement-view.js';
export { Stat } from './views/stat.js';
export { Empty, Failed, FailureNote, LoadedView, Loading, Note } from './views/states.js';
export { Time } from './views/time.js';
export { Toast, type Notices } from './views/toast.js';

export { CheckField, Field, SelectField, TextArea, TextField } from './forms/fields.js';
export { Choice } from './forms/choice.js';
export { pressPrimaryOnEnter } from './forms/enter.js';
export { SubmitOnEnter } from './forms/submit-on-enter.js';
export { TimeFilter, TimeSpan } from './forms/time-filter.js';
export { FilterSelect, SearchField } from './forms/search-field.js';

export { DataTable, type Column } from './table/data-table.js';
export { wholeRows } from './table/whole-rows.js';
export { AuditView, type AuditFile, type AuditQuery, type AuditSource } from './audit/audit-view.js';
export { ActorTree } from './system/actor-tree.js';
export { Chart } from './chart/chart.js';
export { countScale, durationScale, moneyScale, type ChartScale } from './chart/chart-scale.js';
export type { ChartSeries } from './chart/draw-chart.js';
export { TextEditor, type TextProblem } from './editor/text-editor.js';

export { Shell, type Section } from './shell/shell.js';
export { KeyShell } from './shell/key-shell.js';
export { KeyPage } from './shell/key-page.js';
export { KeyboardHelp } from './shell/shortcuts.js';
export { SignInAgain, SignInPage, type SignInProps } from './shell/sign-in.js';
export { Tabs, useTab } from './shell/tabs.js';
export { AppearanceButton, showTheme, ThemeButton, useIsDark } from './shell/theme-button.js';
