import { EmptyState } from '../components/index.js';

export function SearchPage() {
  return <EmptyState title="Search" />;
}
