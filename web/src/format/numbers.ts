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

/** An estimate: a ratio as `1.602×`, a difference of scores as `+0.0125`. */
export function estimated(value: number, kind: "ratio" | "difference"): string {
  if (kind === "ratio") return `${value.toFixed(3)}×`;
  return `${value > 0 ? "+" : ""}${withMinus(value.toFixed(4))}`;
}

/**
 * An interval, rounded outwards: what is shown is never narrower than what was found, so a bound that misses a
 * claim by little does not look as if it met it.
 */
export function interval(low: number, high: number, kind: "ratio" | "difference"): string {
  const digits = kind === "ratio" ? 3 : 4;
  const scale = 10 ** digits;
  const down = Math.floor(steady(low * scale)) / scale;
  const up = Math.ceil(steady(high * scale)) / scale;
  const sign = (value: number) => (kind === "difference" && value > 0 ? "+" : "");
  return `${sign(down)}${withMinus(down.toFixed(digits))} to ${sign(up)}${withMinus(up.toFixed(digits))}`;
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
