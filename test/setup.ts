import fc from 'fast-check';

// Property-based tests draw the same cases each time, so that a failure can be repeated and CI does not depend on luck.
// FC_SEED=$RANDOM npm test looks for new ones.
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 42) });
