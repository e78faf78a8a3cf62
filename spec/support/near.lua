--- An error at the caller where got is further than tolerance from expected, or no number.
return function(expected, got, tolerance, what)
  local off = math.abs(expected - got)
  if off > tolerance or off ~= off then
    error(("%s: expected %.17g, got %.17g (off by %.3g)"):format(what or "value", expected, got, got - expected), 2)
  end
end
