import { Option } from 'commander';

/** What ONNX Runtime computes on; `Session` refuses what this machine does not have. */
export function providerOption(): Option {
  return new Option(
    '--provider <name>',
    'what ONNX Runtime computes on: cpu, cuda, webgpu, coreml, dml (default: cpu)',
  );
}

/** For commands that learn: they go on for long, so that what cannot compute is refused before anything begins. */
export async function expectProvider(provider: string | undefined): Promise<void> {
  if (provider === undefined || provider === 'cpu') return;
  const { tryProvider } = await import('../../engine/try-provider.js');
  await tryProvider(provider);
}
