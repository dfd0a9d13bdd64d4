import { EmptyState } from '../components/index.js';

export function SpacePage() {
  return <EmptyState title="Space" />;
}
