import { InvalidArgumentError, Option } from 'commander';

/** What ONNX Runtime computes on; `Session` refuses what this machine does not have. */
export function providerOption(): Option {
  return new Option(
    '--provider <name>',
    'what ONNX Runtime computes on: cpu, cuda, webgpu, coreml, dml (default: cpu)',
  );
}

/** For commands that learn: the flag is known, so that whoever tries another provider hears why not. */
export function trainingProviderOption(): Option {
  return new Option('--provider <name>', 'what it learns on: cpu, nothing else').argParser((name: string) => {
    if (name === 'cpu') return name;
    throw new InvalidArgumentError(
      'Training computes on the processor: its gradients and resumed runs are exact there and have not been tried elsewhere. encode, search, serve and rerank take other providers.',
    );
  });
}
