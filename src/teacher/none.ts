import { teacherKind } from './teacher.js';

export const noneKind = teacherKind({
  name: 'none',
  description: 'nobody teaches: the model learns from judgments alone',
  options: {},
  open: async () => undefined,
});
