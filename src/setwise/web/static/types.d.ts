// The shapes of what the server answers, and of what the scripts pass each other; tsc checks them, no browser reads them.

type Child = Node | string | number | null | undefined | false | Child[];
type MakesHtml = <Tag extends keyof HTMLElementTagNameMap>(tag: Tag, properties?: Record<string, unknown>, ...children: Child[]) => HTMLElementTagNameMap[Tag];
type MakesSvg = <Tag extends keyof SVGElementTagNameMap>(tag: Tag, attributes?: Record<string, unknown>, ...children: Child[]) => SVGElementTagNameMap[Tag];

/** The elements of index.html that are more than an HTMLElement, by their ids. */
interface Ids extends
  Record<"anything" | "chess960" | "expression" | "fen" | "file" | "filter" | "many" | "save-name" | "solver" | "who" | "constant" | "engine-on" | "like-colour" | "like-wing", HTMLInputElement>,
  Record<"question" | "text", HTMLTextAreaElement>,
  Record<"like" | "mapping" | "motif" | "source" | "tree-side", HTMLSelectElement>,
  Record<"again" | "forget" | "go" | "next" | "solution" | "undo", HTMLButtonElement>,
  Record<"browse" | "by-condition" | "options" | "patterns" | "saved" | "tree", HTMLDetailsElement>,
  Record<"search-form" | "anything-form" | "like-form" | "fen-form" | "mine-form" | "save-form" | "solve-form" | "add", HTMLFormElement> {
  progress: HTMLProgressElement;
  promote: HTMLDialogElement;
  sure: HTMLDialogElement;
}
type Finds = <Id extends string>(id: Id) => Id extends keyof Ids ? Ids[Id] : HTMLElement;

/** What the address contains. */
interface State {
  view: string; fen: string; c960: string; on: string[]; side: string; about: string; step: string; x: string; map: string; name: string;
  q: string; chip: string[]; src: string; file: string; game: string; line: string; hit: string; per: string; order: string; tab: string;
  tree: string; tree_by: string; tree_who: string; tree_side: string; tree_where: string; t: string; sort: string; who: string; solver: string; motif: string;
}
type Changes = Partial<State>;
interface View { show(): unknown; key?(event: KeyboardEvent): void }

// ------------------------------------------------------------------------------------- answers about a position

/** The mark of a switch: `word` is a set of 16 hex digits, `value` any other value. */
interface Mark { on: string; name: string; expression: string; word?: string; count?: number; value?: string | number | boolean | null; error?: string }
interface Position {
  fen: string; pieces: string; white: boolean; chess960: boolean; faults: string[]; opening: string | null; marks: Mark[];
  /** Each legal move in UCI and SAN; null if the position is impossible. */
  moves: [string, string][] | null;
  state: "" | "check" | "checkmate" | "stalemate";
}
interface Step { caption: string; word: string; size: string }
interface Desk { word?: string; value?: unknown; names: string[]; number: string; signed: string; hex: string; binary: string; sources: [string, string][]; bits: number[] }
interface Offer { name: string; about: string; call?: boolean; chip?: string }
interface Kind { suffix: string; title: string; rows?: boolean }
interface Catalogue {
  bench: string; columns: Offer[]; functions: Offer[]; labels: Record<string, string>; sources: string[]; most: number;
  downloads: Kind[]; exercises: Kind[]; engine: string;
}
/** An exercise as it is kept: `due` is a date, empty if it is learned. */
interface Exercise { type: "exercise"; fen: string; solution: string; says: string; motif: string; players: string; place: string; played: string; hardness: string; step: number; due: string | null }
interface Progress { player: string; today: string; exercises: Record<string, Exercise> }
interface Attempt { illegal?: string; is_right: boolean; sentence: string; reply: string | null; pieces: string; last: string; due: string; targets: string[] }
interface Page { columns: Column[]; all: number; rows: Row[] }
interface Understood { where?: string; chips?: string[]; fen?: string; line?: string }
interface Answers {
  catalogue: Catalogue; page: { html: string }; board: Position & { ready: Mark[] }; play: Position & { san: string; last: string }; start960: Position;
  steps: { steps: Step[] }; desk: Desk; condition: { where: string }; understand: Understood; offers: { offers: Offer[] }; like: { where: string };
  games: Page; players: Page; questions: { questions: { asks: string; chip: string; text: string }[]; pages: [string, string][] };
  progress: Progress; attempt: Attempt; remember: unknown; forget: unknown;
}
type Ask = <Question extends keyof Answers>(question: Question, given?: Record<string, unknown>, signal?: AbortSignal) => Promise<Answers[Question]>;

// -------------------------------------------------------------------------------------------- lines of searches

type Value = string | number | boolean | null;
type Row = Value[];
interface Column { name: string; title: string; number: boolean }
interface Match {
  type: "match"; source: number; game: number; of?: number; ply: number; pieces: string; white: boolean; players: string; place: string; next: string;
  move: string | null; missed: string | null; last: string | null; fen: string;
  /** Name, title and squares of each set; title and value of everything else. */
  marks: [string, string, string][]; values: [string, Value][];
}
interface Count {
  type: "progress" | "done"; positions: number; games: number; matches: number; matched_games: number; faults: number; share: number | null; seconds: number;
  hints?: string[]; columns?: Column[]; rows?: Row[]; stored?: boolean;
}
interface Score { label: string; games: number; score: number; low: number; high: number }
interface Answer { type: "answer"; columns: Column[]; rows: Row[]; scores: Score[] | null; all: number; hints: string[]; seconds: number }
interface Table { type: "games"; table: string; at_most: number; games: number; players: number; years: [number, number] | null; stamps: string[] }
interface Move { san: string; uci: string; fen: string; comment?: string; before?: string; nags?: number[]; opening?: string | null; clock?: number | null; evaluation?: number | null }
interface Game {
  type: "game"; tags: Record<string, string>; result: string; title: string; place: string; site: string; comment: string; fens: string[]; openings: (string | null)[];
  matches: number[]; missed: Record<number, [string | null, string]>; moves: Move[]; lines: { ply: number; depth: number; comment: string; moves: Move[] }[];
}
/** What the engine thinks of a position: the evaluation for White in centipawns, its best line in UCI and in SAN. */
interface Thought { type: "thought"; depth: number; evaluation: number; moves: string[]; line: string }
type Found = Match | Count | Answer | Table | Game | Exercise | Thought | { type: "start"; stamps: string[] } | { type: "waiting" | "compiling" };
type Lines = (task: string, given: Record<string, unknown>, signal?: AbortSignal) => AsyncGenerator<Found, void>;

// --------------------------------------------------------------------------------------- moves, boards, pictures

/** A position on the analysis board, and the move that leads to it. */
interface Place extends Move { ply: number; parent: Place | null; children: Place[]; comment: string; nags: number[] }
interface Drawn {
  pieces?: string; marks?: (string | undefined)[]; last?: string | null; move?: string | null; missed?: string | null; turned?: boolean; numbers?: number[] | null;
  label?: string; arrows?: [string, string][];
}
interface Shown extends Drawn { moves?: [string, string][] | null; white?: boolean; pressed?: Set<number>; says?(square: number): string }
interface Plays {
  label: string; toggles?: boolean;
  /** What a click on a square does; true if that is all. */
  click?(square: number): unknown;
  /** Play a legal or illegal move in UCI. */
  play?(uci: string): unknown;
  /** Put a piece on a square, or off the board: where pieces move freely, and for pieces from outside. */
  put?(from: number | null, to: number | null, letter?: string): void;
  free?(): boolean;
  key?(event: KeyboardEvent, square: number): void;
}
/** How a table looks: `sorted` is the column that its rows are sorted by, with a minus if they fall. */
interface Looks { label?: string; className?: string; sorted?: string; sort?(name: string, at: number, event: Event): void }
/** A bar, or a dot with its interval. */
interface Bar { label: string; note?: string; text: string; value: number; low?: number; high?: number }
