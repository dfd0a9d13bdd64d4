import { EmptyState } from '../components/index.js';

export function DocumentPage() {
  return <EmptyState title="Document" />;
}
