#!/usr/bin/env node
import { hasCode } from '../base/errors.js';
import { runCli } from './run.js';

// A reader such as `head` may close the pipe before everything is written: that is no failure.
process.stdout.on('error', (error) => {
  if (hasCode(error, 'EPIPE')) process.exit(0);
  throw error;
});

process.exitCode = await runCli(process.argv.slice(2));
