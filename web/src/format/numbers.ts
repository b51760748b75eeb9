/** What stands where there is no value: not measured, or not stated. */
export const NONE = "–";

const MINUS = "−";
const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** A whole number with its thousands grouped. */
export function count(value: number): string {
  return grouped.format(value);
}

/** A number with its noun: `1 bundle`, `2 bundles`. */
export function counted(value: number, noun: string, plural = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : plural}`;
}

/** A measured value to four significant digits; whole numbers from 1,000 on. */
export function measured(value: number | null): string {
  if (value === null) return NONE;
  const size = Math.abs(value);
  if (size >= 1000) return withMinus(grouped.format(value));
  if (size !== 0 && size < 0.001) return withMinus(value.toExponential(2).replace("e-", "e−"));
  const digits = size === 0 ? 0 : Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(size))));
  return withMinus(value.toFixed(digits));
}

/** An estimate: a ratio as `1.602×`, a difference of scores in points of a hundred as `+1.25 points`. */
export function estimated(value: number, kind: "ratio" | "difference"): string {
  return kind === "ratio" ? `${value.toFixed(3)}×` : `${points(value)} points`;
}

/** An interval, to the digits in which the judge's own sentences state it. */
export function interval(low: number, high: number, kind: "ratio" | "difference"): string {
  if (kind === "ratio") return `${low.toFixed(3)} to ${high.toFixed(3)}`;
  return `${points(low)} to ${points(high)}`;
}

function points(difference: number): string {
  const text = (100 * difference).toFixed(2);
  return text.startsWith("-") ? withMinus(text) : `+${text}`;
}

/** A share from 0 to 1 in per cent, rounded down: 99.96 % of a path is not all of it. */
export function share(value: number): string {
  return `${(Math.floor(steady(value * 1000)) / 10).toFixed(1)} %`;
}

/** How far a ratio lies from 1, in per cent: the noise floor 1.012 is `1.2 %`. */
export function offUnity(ratio: number): string {
  return `${(Math.ceil(steady(Math.abs(ratio - 1) * 1000)) / 10).toFixed(1)} %`;
}

/** A probability; very small ones as a bound. */
export function probability(value: number): string {
  if (value < 0.0001) return "< 0.0001";
  return value < 0.01 ? value.toFixed(4) : value.toFixed(3);
}

/** A size in bytes with binary prefixes. */
export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let size = value;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${count(value)} B` : `${size.toFixed(size < 10 ? 2 : 1)} ${units[unit]}`;
}

/** A duration in seconds. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${measured(seconds)} s`;
  const whole = Math.round(seconds);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${whole % 60} s`;
}

/** Removes the last bits of error of a multiplication, so that 1.6 × 1000 rounds to 1600 either way. */
function steady(value: number): number {
  return Number(value.toPrecision(12));
}

function withMinus(text: string): string {
  return text.replace(/^-/, MINUS);
}
