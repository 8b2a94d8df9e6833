// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Mirrors over a checkered floor: rays, square roots, floating point.
global_settings { assumed_gamma 1.0 max_trace_level 6 }
camera { location <0, 3, -8> look_at <0, 1, 0> }
light_source { <5, 9, -6> color rgb 1 }
plane { y, 0 pigment { checker color rgb 0.9 color rgb 0.2 } finish { reflection 0.2 } }
#declare Row = 0;
#while (Row < 4)
  #declare Place = 0;
  #while (Place < 4)
    sphere { <Place * 2 - 3, 0.8 + mod(Row * 3 + Place, 3) * 0.4, Row * 2 - 2>, 0.8
      pigment { color rgb <Row / 4, Place / 4, 0.6> } finish { reflection 0.5 phong 0.8 } }
    #declare Place = Place + 1;
  #end
  #declare Row = Row + 1;
#end
