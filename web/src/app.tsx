import type { ComponentType } from 'preact';
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks';
import { CollectionChoice } from './collection-choice.js';
import { EmptyState, ErrorState, KeyDialog } from './components/index.js';
import { DocumentPage } from './document/index.js';
import { lazy } from './lazy.js';
import { Link, matchPath, usePlace } from './router.js';
import { SearchPage } from './search/index.js';
import { useServerInfo } from './server-info.js';
import { ThemeToggle } from './theme.js';

interface Route {
  path: string;
  page: ComponentType;
  /** In the navigation. */
  name?: string;
}

const ROUTES: readonly Route[] = [
  { path: '/', page: SearchPage, name: 'Search' },
  {
    path: '/add',
    page: lazy(async () => (await import('./add/index.js')).AddPage),
    name: 'Add',
  },
  {
    path: '/training',
    page: lazy(async () => (await import('./training/index.js')).TrainingPage),
    name: 'Training',
  },
  { path: '/space', page: lazy(async () => (await import('./space/index.js')).SpacePage), name: 'Space' },
  {
    path: '/quality',
    page: lazy(async () => (await import('./quality/index.js')).QualityPage),
    name: 'Quality',
  },
  {
    path: '/glossary',
    page: lazy(async () => (await import('./glossary/index.js')).GlossaryPage),
    name: 'Glossary',
  },
  {
    path: '/docs',
    page: lazy(async () => (await import('./http-api/index.js')).HttpApiPage),
  },
  { path: '/document/:id', page: DocumentPage },
  {
    path: '/before-after',
    page: lazy(async () => (await import('./before-after/index.js')).BeforeAfterPage),
  },
];

export function App() {
  const { path } = usePlace();
  const main = useRef<HTMLElement>(null);
  const shown = useRef(path);
  useEffect(() => {
    // After a change of page the keyboard and the screen reader go on at its beginning, not at the link.
    if (shown.current !== path) main.current?.focus({ preventScroll: true });
    shown.current = path;
  }, [path]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header path={path} />
      <main id="main" ref={main} tabIndex={-1}>
        <Page key={path} path={path} />
      </main>
      <KeyDialog />
    </>
  );
}

function Page({ path }: { path: string }) {
  const [error, reset] = useErrorBoundary();
  if (error) return <ErrorState error={error as Error} onRetry={reset} />;
  const route = ROUTES.find((candidate) => matchPath(candidate.path, path));
  if (route) return <route.page />;
  return (
    <EmptyState title="No such page" isPage>
      <p>
        <Link href="/">Search</Link> is the place to begin.
      </p>
    </EmptyState>
  );
}

function Header({ path }: { path: string }) {
  const info = useServerInfo();
  return (
    <header class="header">
      <Link class="brand" href="/">
        <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
          <circle class="brand-ring" cx="10.5" cy="13.5" r="8" />
          <circle class="brand-ring" cx="10.5" cy="13.5" r="3.2" />
          <circle class="brand-dot" cx="19.4" cy="4.6" r="3" />
        </svg>
        nearmiss
      </Link>
      <nav aria-label="Pages">
        {ROUTES.filter(({ name }) => name).map(({ path: to, name }) => (
          <Link key={to} href={to} aria-current={isCurrent(to, path) ? 'page' : undefined}>
            {name}
          </Link>
        ))}
      </nav>
      <div class="header-end">
        {info.data && (
          <span class="served">
            <CollectionChoice info={info.data} />{' '}
            <span class="served-count">{info.data.documents.toLocaleString('en')} documents</span>
          </span>
        )}
        <ThemeToggle />
      </div>
    </header>
  );
}

/** A document is part of searching, what came of a training of training. */
function isCurrent(to: string, path: string): boolean {
  if (to === '/training' && path === '/before-after') return true;
  return to === path || (to === '/' && path.startsWith('/document/'));
}
