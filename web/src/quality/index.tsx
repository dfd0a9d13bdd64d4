import { EmptyState } from '../components/index.js';

export function QualityPage() {
  return <EmptyState title="Quality" />;
}
