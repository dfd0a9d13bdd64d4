export { Button, type ButtonProps } from './button.js';
export { EmptyState, type EmptyStateProps } from './empty-state.js';
export { ErrorState, type ErrorStateProps } from './error-state.js';
export { KeyDialog } from './key-dialog.js';
export { Spinner } from './spinner.js';
export { Tabs, type TabsProps } from './tabs.js';
