import { EmptyState } from '../components/index.js';

export function TrainingPage() {
  return <EmptyState title="Training" />;
}
