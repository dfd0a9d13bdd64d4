export { teachers } from './kinds.js';
export {
  type TaughtBatch,
  type Teacher,
  type TeacherContext,
  type TeacherKind,
  type TeacherScores,
  teacherKind,
} from './teacher.js';
