import type { ComponentChildren } from 'preact';

export interface EmptyStateProps {
  title: string;
  /** It stands for the whole page, and its title for the page's. */
  isPage?: boolean;
  /** Why nothing is here and what to do. */
  children?: ComponentChildren;
}

export function EmptyState({ title, isPage, children }: EmptyStateProps) {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div class="state">
      <svg class="state-mark" viewBox="0 0 24 24" width="40" height="40" aria-hidden="true">
        <circle cx="10.5" cy="13.5" r="8" />
        <circle cx="10.5" cy="13.5" r="3.2" />
        <circle class="state-dot" cx="19.4" cy="4.6" r="3" />
      </svg>
      <Heading class="state-title">{title}</Heading>
      {children && <div class="state-text">{children}</div>}
    </div>
  );
}
