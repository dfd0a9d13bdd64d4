export interface JudgeButtonsProps {
  name: string;
  grade: number | undefined;
  onJudge: (grade: number) => void;
}

/** Whether a hit answers the query. */
export function JudgeButtons({ name, grade, onJudge }: JudgeButtonsProps) {
  return (
    <span class="judge">
      <button
        type="button"
        class="judge-right"
        aria-pressed={grade !== undefined && grade > 0}
        title="Right: it answers the query (+)"
        onClick={() => onJudge(1)}
      >
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <path d="m3 8.5 3.2 3.2L13 4.8" />
        </svg>
        <span class="visually-hidden">{name} is right</span>
      </button>
      <button
        type="button"
        class="judge-wrong"
        aria-pressed={grade === 0}
        title="Wrong: it does not answer the query (-)"
        onClick={() => onJudge(0)}
      >
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <path d="m4 4 8 8M12 4l-8 8" />
        </svg>
        <span class="visually-hidden">{name} is wrong</span>
      </button>
    </span>
  );
}
